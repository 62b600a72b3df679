// The elements of an experiment. A *part* is one question: jobs that compute, and an assembly of their
// results into figures, tables and claims. A *job* is a pure function of the protocol that runs on one
// thread. Its result is stored under its key, so that nothing is computed twice and an interruption loses
// little.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "experiments/protocol.h"
#include "irn/report/figure.h"
#include "irn/report/page.h"

namespace irn::experiments {

// Thrown out of a job when the run should stop.
struct Interrupted {};

class Watch {
 public:
  // `failed`: set when another job has failed.
  explicit Watch(const std::atomic<bool>& stop, const std::atomic<bool>* failed = nullptr)
      : stop_(stop), failed_(failed) {}
  void check() const {
    if (stop_.load(std::memory_order_relaxed) || (failed_ && failed_->load(std::memory_order_relaxed)))
      throw Interrupted{};
  }

 private:
  const std::atomic<bool>& stop_;
  const std::atomic<bool>* failed_;
};

struct Job {
  std::string key;  // of its result; letters, digits, '-', '.' and '_'
  // In the same rough unit for all jobs: long jobs start first, and the time left is estimated from it.
  double cost = 1;
  std::function<Json(const Watch&)> run;
};

// Called with a job's result as soon as it exists: its key, the result, and the seconds it took.
using Keep = std::function<void(const std::string& key, const Json& result, double seconds)>;

// Jobs that a device computes together, alongside the threads.
struct DeviceBatch {
  std::function<bool(const std::string& key)> takes;
  std::function<void(const std::vector<std::string>& keys, const Watch& watch, const Keep& keep)> run;
};

// The results of jobs by key, and how long each took.
class Results {
 public:
  void add(const std::string& key, Json result, double seconds = 0) {
    all_[key] = {std::move(result), seconds};
  }
  const Json& at(const std::string& key) const { return all_.at(key).result; }
  // Differs from run to run: for readers only, never for a claim or a figure.
  double seconds(const std::string& key) const { return all_.at(key).seconds; }

 private:
  struct Entry {
    Json result;
    double seconds = 0;
  };
  std::map<std::string, Entry> all_;
};

// From best to worst. undecided: the interval of the measurement allows both.
enum class Finding { holds, partly, undecided, fails };
std::string_view name(Finding finding);

struct Claim {
  int number = 0;         // in the order of the report; for the paper's claims see docs/paper.md
  std::string statement;  // what is claimed
  std::string measured;   // effect with its interval, in words and numbers
  Finding finding = Finding::fails;
  Json numbers;  // the same for programs
};

struct PartReport {
  std::vector<std::string> text;  // paragraphs
  std::vector<report::Figure> figures;
  std::vector<report::Table> tables;
  std::vector<Claim> claims;
};

template <class Settings>
struct PartOf {
  std::string_view name, title;
  std::vector<Job> (*jobs)(const Settings&);
  PartReport (*assemble)(const Settings&, const Results&);
};
using Part = PartOf<Protocol>;  // of the paper's reproduction

// The parts of the reproduction, in the order of the report.
const std::vector<Part>& parts();

}  // namespace irn::experiments
