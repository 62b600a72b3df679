#include "experiments/oscillator_batch.h"

#include <chrono>
#include <deque>
#include <future>
#include <iterator>
#include <thread>
#include <tuple>
#include <utility>

#include "experiments/large_parts.h"
#include "experiments/oscillator_group.h"
#include "irn/base/memory.h"

namespace irn::experiments {
namespace {

// Above this many runs a replica takes only as many threads as its batch has samples, less than a warp:
// measured on an H200.
constexpr std::size_t few_runs = 500;
// Threads that write the results of a group: each result is a file that must reach the disk.
constexpr std::size_t writers = 8;

// Wide networks first, because they take longest.
std::vector<std::vector<OscillatorRun>> grouped(const std::map<std::string, OscillatorRun>& known,
                                                const std::vector<std::string>& keys) {
  std::map<std::tuple<std::size_t, bool, bool, NetworkKind>, std::vector<OscillatorRun>> groups;
  for (const std::string& key : keys) {
    const OscillatorRun& run = known.at(key);
    groups[{~run.hidden, !run.curve, run.other_reading, run.kind}].push_back(run);
  }
  std::vector<std::vector<OscillatorRun>> all;
  for (auto& [what, runs] : groups) all.push_back(std::move(runs));
  return all;
}

// Runs all groups at once, as far as the device has memory for them. Grouping does not change a bit of the
// results.
class Groups {
 public:
  Groups(const Protocol& protocol, Device device, std::vector<std::vector<OscillatorRun>> waiting,
         bool crowded, const Keep& keep)
      : protocol_(protocol),
        device_(device),
        crowded_(crowded),
        keep_(keep),
        waiting_(std::make_move_iterator(waiting.begin()), std::make_move_iterator(waiting.end())) {}

  void run(const Watch& watch) {
    while (!waiting_.empty() || !open_.empty()) {
      watch.check();
      if (has_room_ && !waiting_.empty())
        open_next();
      else if (!go_on())
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      end_keeping(false);
    }
    end_keeping(true);
  }

 private:
  void open_next() {
    try {
      open_.push_back(std::make_shared<OscillatorGroup>(protocol_, device_, waiting_.front(), crowded_));
    } catch (const MemoryError&) {
      open_.empty() ? halve_next() : void(has_room_ = false);  // until another has finished
      return;
    }
    waiting_.pop_front();
    open_.back()->go_on();
  }
  void halve_next() {
    std::vector<OscillatorRun>& runs = waiting_.front();
    if (runs.size() == 1)
      throw MemoryError("device " + to_text(device_) + " has too little memory for a network of " +
                        std::to_string(runs[0].hidden) + " hidden neurons and its test with " +
                        std::to_string(protocol_.test_samples) +
                        " samples; free some, or take --device cpu; the results so far are kept");
    const auto half = runs.begin() + static_cast<std::ptrdiff_t>(runs.size() / 2);
    std::vector<OscillatorRun> rest(half, runs.end());
    runs.erase(half, runs.end());
    waiting_.insert(waiting_.begin() + 1, std::move(rest));
  }

  // True if something was done.
  bool go_on() {
    bool busy = false;
    for (std::shared_ptr<OscillatorGroup>& group : open_) {
      busy |= group->go_on();
      if (!group->finished()) continue;
      group->fetch_results();
      keep(std::exchange(group, nullptr));
      busy = has_room_ = true;
    }
    std::erase(open_, nullptr);
    return busy;
  }

  // While the device computes on.
  void keep(const std::shared_ptr<OscillatorGroup>& group) {
    for (std::size_t first = 0; first < writers; ++first)
      keeping_.push_back(std::async(std::launch::async,
                                    [this, group, first] { group->keep_results(keep_, first, writers); }));
  }
  // Waits for the writers that have finished, or for all; throws the error of one that failed.
  void end_keeping(bool of_all) {
    for (std::future<void>& kept : keeping_)
      if (of_all || kept.wait_for(std::chrono::seconds(0)) == std::future_status::ready) kept.get();
    std::erase_if(keeping_, [](const std::future<void>& kept) { return !kept.valid(); });
  }

  const Protocol& protocol_;
  Device device_;
  bool crowded_, has_room_ = true;
  const Keep& keep_;
  std::deque<std::vector<OscillatorRun>> waiting_;
  std::vector<std::shared_ptr<OscillatorGroup>> open_;
  std::vector<std::future<void>> keeping_;
};

}  // namespace

DeviceBatch oscillator_batch(const Protocol& protocol, Device device) {
  std::map<std::string, OscillatorRun> known;
  for (const auto& runs : {curve_runs(protocol), sweep_runs(protocol), comparison_runs(protocol)})
    for (const OscillatorRun& run : runs)
      if (is_replica(protocol, run)) known.emplace(run.key(), run);
  return {.takes = [known](const std::string& key) { return known.contains(key); },
          .run =
              [=](const std::vector<std::string>& keys, const Watch& watch, const Keep& keep) {
                Groups(protocol, device, grouped(known, keys), keys.size() > few_runs, keep).run(watch);
              }};
}

}  // namespace irn::experiments
