#include "experiments/runner.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "experiments/campaign_report.h"
#include "experiments/result_store.h"
#include "irn/base/error.h"
#include "irn/base/text.h"
#include "irn/base/threads.h"

namespace irn::experiments {
namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::vector<const BoundPart*> chosen_parts(const Campaign& campaign, const std::vector<std::string>& names) {
  std::vector<std::string_view> known;
  for (const BoundPart& part : campaign.parts) known.push_back(part.name);
  for (const std::string& wanted : names)
    if (std::find(known.begin(), known.end(), wanted) == known.end())
      throw Error(unknown_name("part", wanted, known));
  std::vector<const BoundPart*> chosen;
  for (const BoundPart& part : campaign.parts)
    if (names.empty() || std::find(names.begin(), names.end(), part.name) != names.end())
      chosen.push_back(&part);
  return chosen;
}

// Jobs that are not done yet, longest first: the last thread to finish then finishes early.
std::vector<Job> open_jobs(const std::vector<const BoundPart*>& chosen, const ResultStore& store) {
  std::vector<Job> open;
  std::set<std::string> seen;
  for (const BoundPart* part : chosen)
    for (const Job& job : part->jobs)
      if (seen.insert(job.key).second && !store.has(job.key)) open.push_back(job);
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

// The device's share of the jobs, on a thread of its own while the others run; what it throws comes out of join().
class BatchThread {
 public:
  BatchThread(const DeviceBatch& batch, const std::vector<Job>& jobs, ResultStore& store,
              ProgressTeller& teller, const std::atomic<bool>& stop)
      : thread_([&batch, &jobs, &store, &teller, &stop, this] {
          try {
            std::vector<std::string> keys;
            std::map<std::string, const Job*> by_key;
            for (const Job& job : jobs) keys.push_back(job.key), by_key[job.key] = &job;
            batch.run(keys, Watch(stop), [&](const std::string& key, const Json& result, double seconds) {
              store.keep(key, result, seconds);
              teller.done(*by_key.at(key));
            });
          } catch (...) {
            thrown_ = std::current_exception();
          }
        }) {}
  ~BatchThread() {
    if (thread_.joinable()) thread_.join();
  }
  void join() {
    thread_.join();
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  std::exception_ptr thrown_;
  std::thread thread_;
};

RunOutcome run_jobs(std::vector<Job> jobs, const Campaign& campaign, ResultStore& store,
                    const RunOptions& options, ThreadPool& threads, const std::atomic<bool>& stop) {
  ProgressTeller teller(jobs, options);
  std::vector<Job> of_device;
  if (campaign.batch) {
    const auto first = std::stable_partition(jobs.begin(), jobs.end(),
                                             [&](const Job& job) { return !campaign.batch->takes(job.key); });
    of_device.assign(first, jobs.end());
    jobs.erase(first, jobs.end());
  }
  try {
    std::optional<BatchThread> batch;
    if (!of_device.empty()) batch.emplace(*campaign.batch, of_device, store, teller, stop);
    threads.for_each(jobs.size(), [&](std::size_t task, std::size_t) {
      const Watch watch(stop);
      watch.check();
      const Clock::time_point start = Clock::now();
      const Json result = jobs[task].run(watch);
      store.keep(jobs[task].key, result, since(start));
      teller.done(jobs[task]);
    });
    if (batch) batch->join();
  } catch (const Interrupted&) {
    return RunOutcome::interrupted;
  }
  return RunOutcome::finished;
}

FinishedPart finish(const BoundPart& part, const ResultStore& store) {
  Results results;
  double seconds = 0;
  for (const Job& job : part.jobs) {
    auto [result, took] = store.read(job.key);
    results.add(job.key, std::move(result), took);
    seconds += results.seconds(job.key);
  }
  return {&part, part.assemble(results), seconds};
}

// The command line that gives this again.
std::string command_of(const Campaign& campaign, const RunOptions& options) {
  std::string command = campaign.command;
  for (const std::string& name : options.parts) command += " " + name;
  return command + campaign.options;
}

}  // namespace

RunOutcome run(const Campaign& campaign, const RunOptions& options, const std::atomic<bool>& stop) {
  const Clock::time_point start = Clock::now();
  const std::vector<const BoundPart*> chosen = chosen_parts(campaign, options.parts);
  ThreadPool threads(options.threads);  // before anything is written: it may be refused
  ResultStore store(options.folder, campaign.json);
  const std::vector<Job> jobs = open_jobs(chosen, store);
  if (run_jobs(jobs, campaign, store, options, threads, stop) == RunOutcome::interrupted)
    return RunOutcome::interrupted;
  std::vector<FinishedPart> finished;
  for (const BoundPart* part : chosen) finished.push_back(finish(*part, store));
  write_report(options.folder, campaign, finished,
               {command_of(campaign, options), since(start), threads.size()});
  return RunOutcome::finished;
}

}  // namespace irn::experiments
