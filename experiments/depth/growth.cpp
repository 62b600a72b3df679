#include "experiments/depth/growth.h"

#include <cmath>

#include <fmt/format.h>

namespace irn::experiments {
namespace {

// The slope of y over depths 1, 2, ...
double slope(const std::vector<double>& y) {
  const double middle = (double(y.size()) + 1) / 2;
  double above = 0, below = 0;
  for (std::size_t k = 0; k < y.size(); ++k) {
    const double x = double(k + 1) - middle;
    above += x * y[k], below += x * x;
  }
  return above / below;
}

// Of values(depth), which has one entry for each repeat.
template <class Values>
Estimate slopes(const DepthTask& task, const Values& values) {
  std::vector<std::vector<double>> by_repeat;
  for (std::size_t depth = 1; depth <= task.deepest; ++depth) {
    const std::vector<double> now = values(depth);
    by_repeat.resize(now.size());
    for (std::size_t r = 0; r < now.size(); ++r) by_repeat[r].push_back(now[r]);
  }
  std::vector<double> all;
  for (const std::vector<double>& y : by_repeat) all.push_back(slope(y));
  return estimate(all);
}

std::vector<double> differences(const DepthTask& task, std::string_view a, std::string_view b,
                                std::size_t depth) {
  const std::vector<double> first = task.at(depth_method(a), depth).value,
                            second = task.at(depth_method(b), depth).value;
  std::vector<double> all;
  for (std::size_t r = 0; r < first.size(); ++r) all.push_back(task.score(first[r]) - task.score(second[r]));
  return all;
}

std::string by_depth(const DepthTask& task, std::string_view a, std::string_view b) {
  std::string text;
  for (std::size_t depth = 1; depth <= task.deepest; ++depth)
    text += fmt::format("; {}: {}", depth, task.words(advantage(task, a, b, depth)));
  return "by depth" + text.substr(1) + task.unit;
}

Claim ahead_claim(int number, const DepthTask& task) {
  std::size_t certain = 0, ahead = 0, behind = 0;
  for (std::size_t depth = 1; depth <= task.deepest; ++depth) {
    const Estimate e = advantage(task, "exact", "feed-forward", depth);
    certain += e.low() > 0, ahead += e.mean > 0, behind += e.high() < 0;
  }
  return {.number = number,
          .statement = fmt::format("On {} the exact network is ahead of the feed-forward one at every depth.",
                                   task.label),
          .measured = fmt::format("of {} depths certainly ahead (95 %) at {}, certainly behind at {}; {}",
                                  task.deepest, certain, behind, by_depth(task, "exact", "feed-forward")),
          .finding = certain == task.deepest                   ? Finding::holds
                     : behind == 0 && 2 * ahead > task.deepest ? Finding::partly
                                                               : Finding::fails,
          .numbers = {{"certain", certain}, {"ahead", ahead}, {"behind", behind}}};
}

Claim growth_claim(int number, const DepthTask& task, const std::string& statement, std::string_view a,
                   std::string_view b) {
  const Estimate e = growth(task, a, b);
  return {.number = number,
          .statement = fmt::format("On {} {}", task.label, statement),
          .measured = fmt::format("a layer more adds {} (holds if the interval lies above zero); {}",
                                  task.words(e), by_depth(task, a, b)),
          .finding = better(e),
          .numbers = {{"a_layer", json(e)}}};
}

Claim evaluations_claim(int number, const DepthTask& task) {
  const auto of = [&](std::string_view method) {
    return slopes(task, [&](std::size_t depth) { return task.at(depth_method(method), depth).evaluations; });
  };
  const Estimate free = of("exact"), certified = of("certified");
  std::string words;
  for (std::size_t depth = 1; depth <= task.deepest; ++depth)
    words +=
        fmt::format("; {}: {:.1f} and {:.1f}", depth, mean(task.at(depth_method("exact"), depth).evaluations),
                    mean(task.at(depth_method("certified"), depth).evaluations));
  return {
      .number = number,
      .statement = fmt::format("On {} evaluations grow with depth, free and certified.", task.label),
      .measured = fmt::format("a layer more adds {} (free) and {} (certified; holds if both intervals lie "
                              "above zero); by depth{}",
                              text(free), text(certified), words.substr(1)),
      .finding = std::max(better(free), better(certified)),
      .numbers = {{"free", json(free)}, {"certified", json(certified)}}};
}

Claim settles_claim(int number, const DepthTask& task, const std::string& who,
                    const std::vector<std::string_view>& names) {
  double lost = 0, asked = 0;
  std::string words;
  for (std::size_t depth = 1; depth <= task.deepest; ++depth) {
    double here = 0, all = 0;
    for (const std::string_view name : names)
      for (const double settled : task.at(depth_method(name), depth).settled)
        here += std::round((1 - settled) * double(task.held_out)), all += double(task.held_out);
    words += fmt::format("; {}: {}", depth, settled_text(1 - here / all));
    lost += here, asked += all;
  }
  return {.number = number,
          .statement = fmt::format("On {} {} settle every held-out sample at every depth.", task.label, who),
          .measured = fmt::format("{:.0f} of {:.0f} without an answer (holds if none); settled by depth{}",
                                  lost, asked, words.substr(1)),
          .finding = lost == 0             ? Finding::holds
                     : lost * 1000 < asked ? Finding::partly
                                           : Finding::fails,
          .numbers = {{"lost", lost}, {"asked", asked}}};
}

}  // namespace

Estimate advantage(const DepthTask& task, std::string_view a, std::string_view b, std::size_t depth) {
  return estimate(differences(task, a, b, depth));
}

Estimate growth(const DepthTask& task, std::string_view a, std::string_view b) {
  return slopes(task, [&](std::size_t depth) { return differences(task, a, b, depth); });
}

std::vector<Claim> depth_claims(const DepthTask& task, int first) {
  return {
      ahead_claim(first, task),
      growth_claim(first + 1, task,
                   "the exact network's advantage over the feed-forward one grows with depth.", "exact",
                   "feed-forward"),
      growth_claim(first + 2, task, "the exact network's advantage over the semi-gradient grows with depth.",
                   "exact", "semi"),
      growth_claim(first + 3, task,
                   "the certified exact network's advantage over the feed-forward one grows with depth.",
                   "certified", "feed-forward"),
      evaluations_claim(first + 4, task),
      settles_claim(first + 5, task, "free networks (exact and semi-gradient)", {"exact", "semi"}),
      settles_claim(first + 6, task, "certified networks", {"certified", "certified-semi"})};
}

}  // namespace irn::experiments
