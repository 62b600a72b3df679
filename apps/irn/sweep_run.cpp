#include "apps/irn/sweep_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>

#include <fmt/format.h>

#include "experiments/result_store.h"

namespace irn::app {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json to_json(const FoldResult& r, const Encoding& encoding) {
  Json json = {{"rows", r.answers.size()}, {"settled", r.assessment.summary.settled_share()},
               {"epochs", r.epochs},       {"best_epoch", r.best_epoch},
               {"diverged", r.diverged},   {"seconds", r.seconds}};
  for (const auto& [name, value] : r.assessment.numbers(encoding)) json["metrics"][name] = number(value);
  return json;
}

// Whether to_json() made it: a file that something else has written is not trusted.
bool is_result(const Json& json) {
  const auto number = [&](const char* key) { return json.contains(key) && json.at(key).is_number(); };
  if (!json.is_object() || !number("settled") || !number("seconds")) return false;
  if (!json.contains("diverged") || !json.at("diverged").is_boolean()) return false;
  return json.contains("metrics") && json.at("metrics").is_object() &&
         std::ranges::all_of(json.at("metrics"),
                             [](const Json& value) { return value.is_number() || value.is_null(); });
}

std::string key_of(std::size_t trial, std::size_t rung, const FoldJob& fold) {
  return fmt::format("trial{:04}-rung{}-repeat{}-fold{}", trial, rung + 1, fold.repeat, fold.number);
}

std::size_t epochs_on(const TrainSettings& settings, double share) {
  return std::max<std::size_t>(1,
                               static_cast<std::size_t>(std::ceil(double(*settings.epochs) * share - 1e-9)));
}

class Sweep {
 public:
  Sweep(const SweepPlan& plan, const TrainingTable& table, experiments::ResultStore& store,
        ThreadPool& threads, const std::atomic<bool>& stop,
        const std::function<void(const SweepState&)>& tell, SweepState& state)
      : plan_(plan),
        table_(table),
        store_(store),
        threads_(threads),
        stop_(stop),
        tell_(tell),
        state_(state),
        encoding_(plain_targets(table)) {
    std::size_t trials = plan.trials.size();
    for (std::size_t r = 0; r < plan.rungs.size(); ++r, trials = survivors(trials)) {
      state_.total += trials * plan.folds.size();
      work_left_ += double(trials * plan.folds.size()) * plan.rungs[r];
    }
  }

  SweepEnd run() {
    std::vector<std::size_t> trials(plan_.trials.size());
    for (std::size_t k = 0; k < trials.size(); ++k) trials[k] = k;
    for (std::size_t rung = 0; rung < plan_.rungs.size(); ++rung) {
      if (run_rung(rung, trials) == SweepEnd::interrupted) return SweepEnd::interrupted;
      trials = best_of(rung, trials);
    }
    return SweepEnd::finished;
  }

 private:
  struct Open {
    std::size_t result, fold;
  };

  std::size_t survivors(std::size_t trials) const { return std::max<std::size_t>(1, trials / plan_.keep); }

  SweepEnd run_rung(std::size_t rung, const std::vector<std::size_t>& trials) {
    std::vector<Open> open;
    for (const std::size_t t : trials) {
      TrialResult result{
          .trial = t + 1, .rung = rung, .epochs = epochs_on(plan_.settings[t], plan_.rungs[rung])};
      result.folds.resize(plan_.folds.size());
      for (std::size_t f = 0; f < plan_.folds.size(); ++f) {
        const std::string key = key_of(t + 1, rung, plan_.folds[f]);
        if (store_.has(key))
          result.folds[f] = kept(key), count(rung, false);
        else
          open.push_back({state_.results.size(), f});
      }
      result.complete = complete(result);
      state_.results.push_back(std::move(result));
    }
    tell_(state_);
    try {
      threads_.for_each(open.size(), [&](std::size_t task, std::size_t) { train(rung, open[task]); });
    } catch (const FoldInterrupted&) {
      return SweepEnd::interrupted;
    }
    return SweepEnd::finished;
  }

  Json kept(const std::string& key) const {
    Json json = store_.read(key).result;
    if (!is_result(json)) store_.refuse(key);
    return json;
  }

  void train(std::size_t rung, const Open& open) {
    if (stop_.load(std::memory_order_relaxed)) throw FoldInterrupted{};
    TrialResult& result = state_.results[open.result];
    TrainSettings settings = plan_.settings[result.trial - 1];
    settings.epochs = result.epochs;
    const FoldJob& fold = plan_.folds[open.fold];
    Json json = to_json(run_fold(settings, table_, fold, stop_), encoding_);
    store_.keep(key_of(result.trial, rung, fold), json, json.at("seconds").get<double>());
    const std::lock_guard lock(mutex_);
    result.folds[open.fold] = std::move(json);
    result.complete = complete(result);
    count(rung, true);
    tell_(state_);
  }

  static bool complete(const TrialResult& result) {
    return std::all_of(result.folds.begin(), result.folds.end(),
                       [](const Json& fold) { return !fold.is_null(); });
  }

  // Work is measured in shares of the epochs: a training on the last rung takes longer than one on the first.
  void count(std::size_t rung, bool now) {
    ++state_.done;
    work_left_ -= plan_.rungs[rung];
    if (now) work_done_ += plan_.rungs[rung];
    state_.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    state_.seconds_left = work_done_ > 0 ? state_.seconds * std::max(0.0, work_left_) / work_done_ : 0;
  }

  std::vector<std::size_t> best_of(std::size_t rung, const std::vector<std::size_t>& trials) const {
    std::vector<std::size_t> best;
    for (const TrialResult* result : ranked_on(rung, state_, plan_.metric))
      if (best.size() < survivors(trials.size())) best.push_back(result->trial - 1);
    std::sort(best.begin(), best.end());
    return best;
  }

  const SweepPlan& plan_;
  const TrainingTable& table_;
  experiments::ResultStore& store_;
  ThreadPool& threads_;
  const std::atomic<bool>& stop_;
  const std::function<void(const SweepState&)>& tell_;
  SweepState& state_;
  Encoding encoding_;
  std::mutex mutex_;
  double work_left_ = 0, work_done_ = 0;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

double TrialResult::mean(const std::string& metric) const {
  double sum_ = 0, count = 0;
  for (const Json& fold : folds) {
    if (fold.is_null()) continue;
    const Json& metrics = fold.at("metrics");
    if (!metrics.contains(metric) || metrics.at(metric).is_null()) return nothing;
    sum_ += metrics.at(metric).get<double>(), ++count;
  }
  return count > 0 ? sum_ / count : nothing;
}

double TrialResult::spread(const std::string& metric) const {
  const double middle = mean(metric);
  double squares = 0, count = 0;
  for (const Json& fold : folds)
    if (!fold.is_null() && !std::isnan(middle)) {
      const double off = fold.at("metrics").at(metric).get<double>() - middle;
      squares += off * off, ++count;
    }
  return count > 1 ? std::sqrt(squares / (count - 1)) : nothing;
}

double TrialResult::sum(const char* key) const {
  double all = 0;
  for (const Json& fold : folds)
    if (!fold.is_null())
      all += fold.at(key).is_boolean() ? double(fold.at(key).get<bool>()) : fold.at(key).get<double>();
  return all;
}

std::vector<const TrialResult*> ranked(const SweepState& state, Metric metric) {
  std::vector<std::pair<double, const TrialResult*>> scored;
  const std::string key(name(metric));
  for (const TrialResult& result : state.results) {
    const double value = result.complete ? result.mean(key) : nothing;
    const double cost = std::isnan(value)          ? std::numeric_limits<double>::infinity()
                        : larger_is_better(metric) ? -value
                                                   : value;
    scored.emplace_back(cost, &result);
  }
  std::sort(scored.begin(), scored.end(), [](const auto& a, const auto& b) {
    const bool a_none = std::isinf(a.first), b_none = std::isinf(b.first);
    if (a_none != b_none) return b_none;
    if (a.second->rung != b.second->rung) return a.second->rung > b.second->rung;
    return std::pair(a.first, a.second->trial) < std::pair(b.first, b.second->trial);
  });
  std::vector<const TrialResult*> order;
  for (const auto& [cost, result] : scored) order.push_back(result);
  return order;
}

std::vector<const TrialResult*> ranked_on(std::size_t rung, const SweepState& state, Metric metric) {
  std::vector<const TrialResult*> order = ranked(state, metric);
  std::erase_if(order, [&](const TrialResult* result) { return result->rung != rung; });
  return order;
}

SweepEnd run_sweep(const SweepPlan& plan, const TrainingTable& table, const std::filesystem::path& folder,
                   const nlohmann::ordered_json& protocol, ThreadPool& threads, const std::atomic<bool>& stop,
                   const std::function<void(const SweepState&)>& tell, SweepState& state) {
  experiments::ResultStore store(folder, experiments::Json(protocol));
  return Sweep(plan, table, store, threads, stop, tell, state).run();
}

}  // namespace irn::app
