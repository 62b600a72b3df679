#include "experiments/runner.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <set>

#include "experiments/paper_report.h"
#include "experiments/result_store.h"
#include "irn/base/error.h"
#include "irn/base/text.h"
#include "irn/base/threads.h"

namespace irn::experiments {
namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::vector<const Part*> chosen_parts(const std::vector<std::string>& names) {
  std::vector<std::string_view> known;
  for (const Part& part : parts()) known.push_back(part.name);
  for (const std::string& wanted : names)
    if (std::find(known.begin(), known.end(), wanted) == known.end())
      throw Error(unknown_name("part", wanted, known));
  std::vector<const Part*> chosen;
  for (const Part& part : parts())
    if (names.empty() || std::find(names.begin(), names.end(), part.name) != names.end())
      chosen.push_back(&part);
  return chosen;
}

// Jobs that are not done yet, longest first: the last thread to finish then finishes early.
std::vector<Job> open_jobs(const std::vector<const Part*>& chosen, const Protocol& protocol,
                           const ResultStore& store) {
  std::vector<Job> open;
  std::set<std::string> seen;
  for (const Part* part : chosen)
    for (Job& job : part->jobs(protocol))
      if (seen.insert(job.key).second && !store.has(job.key)) open.push_back(std::move(job));
  std::sort(open.begin(), open.end(),
            [](const Job& a, const Job& b) { return a.cost != b.cost ? a.cost > b.cost : a.key < b.key; });
  return open;
}

// Tells the time left: the cost still open at the rate of the cost done.
class ProgressTeller {
 public:
  ProgressTeller(const std::vector<Job>& jobs, const RunOptions& options) : options_(options) {
    for (const Job& job : jobs) cost_left_ += job.cost;
    progress_.total = jobs.size();
    tell();
  }
  void done(const Job& job) {
    const std::lock_guard lock(mutex_);
    cost_done_ += job.cost, cost_left_ -= job.cost;
    ++progress_.done;
    progress_.last = job.key;
    tell();
  }

 private:
  void tell() {
    progress_.seconds = since(start_);
    progress_.seconds_left = cost_done_ > 0 ? progress_.seconds * std::max(0.0, cost_left_) / cost_done_ : 0;
    options_.on_progress(progress_);
  }
  const RunOptions& options_;
  Clock::time_point start_ = Clock::now();
  std::mutex mutex_;
  double cost_done_ = 0, cost_left_ = 0;
  Progress progress_;
};

RunOutcome run_jobs(const std::vector<Job>& jobs, ResultStore& store, const RunOptions& options,
                    ThreadPool& threads, const std::atomic<bool>& stop) {
  ProgressTeller teller(jobs, options);
  try {
    threads.for_each(jobs.size(), [&](std::size_t task, std::size_t) {
      const Watch watch(stop);
      watch.check();
      const Clock::time_point start = Clock::now();
      const Json result = jobs[task].run(watch);
      store.keep(jobs[task].key, result, since(start));
      teller.done(jobs[task]);
    });
  } catch (const Interrupted&) {
    return RunOutcome::interrupted;
  }
  return RunOutcome::finished;
}

FinishedPart finish(const Part& part, const Protocol& protocol, const ResultStore& store) {
  Results results;
  double seconds = 0;
  const std::vector<Job> jobs = part.jobs(protocol);
  for (const Job& job : jobs) {
    results[job.key] = store.result(job.key);
    seconds += store.seconds(job.key);
  }
  return {&part, part.assemble(protocol, results), seconds, jobs.size()};
}

// The command line that gives this protocol again.
std::string command_of(const Protocol& protocol, const RunOptions& options) {
  std::string command = "irn reproduce";
  for (const std::string& name : options.parts) command += " " + name;
  const std::vector<FieldText> wanted = fields_of(protocol), full = fields_of(Protocol::full()),
                               quick = fields_of(Protocol::quick());
  const auto differences = [&](const std::vector<FieldText>& preset) {
    std::string text;
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if (wanted[i].value != preset[i].value) text += " --" + wanted[i].key + " " + wanted[i].value;
    return text;
  };
  const std::string from_full = differences(full), from_quick = differences(quick);
  return command + (from_full.size() + 7 < from_quick.size() ? " --full" + from_full : from_quick);
}

}  // namespace

RunOutcome reproduce(const Protocol& protocol, const RunOptions& options, const std::atomic<bool>& stop) {
  protocol.check();
  const Clock::time_point start = Clock::now();
  const std::vector<const Part*> chosen = chosen_parts(options.parts);
  ThreadPool threads(options.threads);  // before anything is written: it may be refused
  ResultStore store(options.folder, protocol);
  const std::vector<Job> jobs = open_jobs(chosen, protocol, store);
  if (run_jobs(jobs, store, options, threads, stop) == RunOutcome::interrupted)
    return RunOutcome::interrupted;
  std::vector<FinishedPart> finished;
  for (const Part* part : chosen) finished.push_back(finish(*part, protocol, store));
  write_report(options.folder, protocol, finished,
               {command_of(protocol, options), since(start), threads.size()});
  return RunOutcome::finished;
}

}  // namespace irn::experiments
