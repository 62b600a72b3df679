#include "experiments/runner.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "experiments/campaign_report.h"
#include "experiments/result_store.h"
#include "experiments/run_record.h"
#include "irn/base/error.h"
#include "irn/base/text.h"
#include "irn/base/threads.h"
#include "irn/report/time_words.h"

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

// Parts may share jobs.
std::vector<Job> distinct_jobs(const std::vector<const BoundPart*>& chosen) {
  std::vector<Job> jobs;
  std::set<std::string> seen;
  for (const BoundPart* part : chosen)
    for (const Job& job : part->jobs)
      if (seen.insert(job.key).second) jobs.push_back(job);
  return jobs;
}

// Unfinished jobs, longest first, so that the last thread ends early.
std::vector<Job> open_jobs(std::vector<Job> jobs, const ResultStore& store) {
  std::erase_if(jobs, [&](const Job& job) { return store.has(job.key); });
  std::sort(jobs.begin(), jobs.end(),
            [](const Job& a, const Job& b) { return a.cost != b.cost ? a.cost > b.cost : a.key < b.key; });
  return jobs;
}

// Estimates the time left: the cost still open, at the rate of the cost done.
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

// The first exception of a job or of the device. All others then stop soon, because without all results there
// is no report.
class FirstFailure {
 public:
  template <class Work>
  void guard(const Work& work) {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!thrown_) thrown_ = std::current_exception();
      failed_ = true;
    }
  }
  const std::atomic<bool>& failed() const { return failed_; }
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr thrown_;
  std::atomic<bool> failed_ = false;
};

void run_job(const Job& job, ResultStore& store, ProgressTeller& teller, const Watch& watch) {
  watch.check();
  const Clock::time_point start = Clock::now();
  const Json result = job.run(watch);
  store.keep(job.key, result, since(start));
  teller.done(job);
}
void run_batch(const DeviceBatch& batch, const std::vector<Job>& jobs, ResultStore& store,
               ProgressTeller& teller, const Watch& watch) {
  std::vector<std::string> keys;
  std::map<std::string, const Job*> by_key;
  for (const Job& job : jobs) keys.push_back(job.key), by_key[job.key] = &job;
  batch.run(keys, watch, [&](const std::string& key, const Json& result, double seconds) {
    store.keep(key, result, seconds);
    teller.done(*by_key.at(key));
  });
}

// The device's share runs on its own thread, alongside the others.
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
  FirstFailure failure;
  const Watch watch(stop, &failure.failed());
  {
    std::jthread device;
    if (!of_device.empty())
      device = std::jthread(
          [&] { failure.guard([&] { run_batch(*campaign.batch, of_device, store, teller, watch); }); });
    threads.for_each(jobs.size(), [&](std::size_t task, std::size_t) {
      failure.guard([&] { run_job(jobs[task], store, teller, watch); });
    });
  }
  try {
    failure.rethrow();
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

// The device in words, if it has a share of the jobs.
std::string device_of(const Campaign& campaign, const std::vector<Job>& jobs) {
  const bool takes_some = campaign.batch && std::any_of(jobs.begin(), jobs.end(), [&](const Job& job) {
                            return campaign.batch->takes(job.key);
                          });
  return takes_some ? campaign.device : "";
}

// The command line that repeats this.
std::string command_of(const Campaign& campaign, const RunOptions& options) {
  std::string command = campaign.command;
  for (const std::string& name : options.parts) command += " " + name;
  return command + campaign.options;
}

}  // namespace

RunOutcome run(const Campaign& campaign, const RunOptions& options, const std::atomic<bool>& stop) {
  const Clock::time_point start = Clock::now();
  const std::vector<const BoundPart*> chosen = chosen_parts(campaign, options.parts);
  ThreadPool threads(options.threads);  // before anything is written: the number may be refused
  ResultStore store(options.folder, campaign.json);
  const std::vector<Job> all = distinct_jobs(chosen), jobs = open_jobs(all, store);
  if (run_jobs(jobs, campaign, store, options, threads, stop) == RunOutcome::interrupted)
    return RunOutcome::interrupted;
  std::vector<FinishedPart> finished;
  for (const BoundPart* part : chosen) finished.push_back(finish(*part, store));
  const std::string command = command_of(campaign, options);
  write_report(options.folder, campaign, finished, {command, since(start), threads.size()});
  record_run(
      options.folder,
      {command, machine_text(device_of(campaign, all), threads.size()), since(start), report::date_now()},
      jobs.empty()                ? Computed::none
      : jobs.size() == all.size() ? Computed::all
                                  : Computed::some);
  return RunOutcome::finished;
}

}  // namespace irn::experiments
