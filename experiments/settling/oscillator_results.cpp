#include "experiments/settling/oscillator_results.h"

#include <cmath>

#include <fmt/format.h>

#include "experiments/small_parts.h"

namespace irn::experiments {
namespace {

// w0 - 1 and d / 2 are uniform on [0, 1]: the answer 1/2 has a mean squared error of 1/12. A sample without
// an answer costs as much.
constexpr double knowing_nothing = 1.0 / 12;

}  // namespace

void add_run(Measured& all, const Json& result, double seconds) {
  const Json& test = result.at("test").back();
  const double settled = number(test.at("settled")), error = number(test.at("loss"));
  all.add((settled > 0 ? settled * error : 0) + (1 - settled) * knowing_nothing, settled,
          number(test.at("evaluations")), seconds);
}

OscillatorRun run_of(const Method& m, std::size_t hidden, std::size_t repeat) {
  return {.hidden = hidden, .repeat = repeat, .method = &m};
}

Measured measured(const SettlingSettings& s, const Results& results, const Method& m, std::size_t hidden) {
  Measured all;
  for (std::size_t r = 0; r < s.oscillator_repeats; ++r) {
    const std::string key = run_of(m, hidden, r).key();
    add_run(all, results.at(key), results.seconds(key));
  }
  return all;
}

Estimate gain(const SettlingSettings& s, const Results& results, std::string_view a, std::string_view b,
              std::size_t hidden) {
  return paired_difference(measured(s, results, method(b), hidden).value,
                           measured(s, results, method(a), hidden).value);
}

Claim settles_claim(int number, const std::string& statement, const SettlingSettings& s,
                    const Results& results, std::span<const std::string_view> names,
                    std::span<const std::size_t> sizes) {
  Claim claim{.number = number, .statement = statement};
  std::size_t all = 0, lost = 0;
  std::string where;
  for (const std::string_view name : names)
    for (const std::size_t hidden : sizes) {
      std::size_t here = 0;
      for (const double settled : measured(s, results, method(name), hidden).settled)
        here += static_cast<std::size_t>(std::lround((1 - settled) * double(s.oscillator_held_out)));
      all += s.oscillator_repeats * s.oscillator_held_out, lost += here;
      if (here > 0) where += fmt::format(", {} by {} ({} hidden)", here, method(name).label, hidden);
      claim.numbers.push_back({{"method", name}, {"hidden", hidden}, {"lost", here}});
    }
  claim.measured = fmt::format("{} of {} samples without an answer (holds if none){}", lost, all, where);
  claim.finding = lost == 0 ? Finding::holds : lost * 1000 < all ? Finding::partly : Finding::fails;
  return claim;
}

}  // namespace irn::experiments
