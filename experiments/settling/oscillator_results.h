// The trainings on the oscillator, looked up by method and hidden size.
#pragma once

#include "experiments/oscillator_training.h"
#include "experiments/settling/measured.h"
#include "experiments/settling/settings.h"

namespace irn::experiments {

// Adds a finished training as one more repeat. value: the error, in which a sample without an answer costs as
// much as a guess that knows nothing.
void add_run(Measured& all, const Json& result, double seconds);

OscillatorRun run_of(const Method& m, std::size_t hidden, std::size_t repeat);

Measured measured(const SettlingSettings& s, const Results& results, const Method& m, std::size_t hidden);

// How much lower the error of a is than that of b, within repeats.
Estimate gain(const SettlingSettings& s, const Results& results, std::string_view a, std::string_view b,
              std::size_t hidden);

// Differences below a tenth of the error do not count: the paper's networks differ by far more.
inline constexpr double allowed_share = 0.1;

// The claim that no held-out sample lacks an answer, for networks with exactly one equilibrium for each.
Claim settles_claim(int number, const std::string& statement, const SettlingSettings& s,
                    const Results& results, std::span<const std::string_view> names,
                    std::span<const std::size_t> sizes);

}  // namespace irn::experiments
