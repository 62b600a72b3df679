// The trainings on the oscillator, asked for by method and hidden size.
#pragma once

#include "experiments/oscillator_training.h"
#include "experiments/settling/measured.h"
#include "experiments/settling/settings.h"

namespace irn::experiments {

// A finished training as one more repeat. value: the error, in which a sample without an answer costs as much as knowing nothing.
void add_run(Measured& all, const Json& result, double seconds);

OscillatorRun run_of(const Method& m, std::size_t hidden, std::size_t repeat);

Measured measured(const SettlingSettings& s, const Results& results, const Method& m, std::size_t hidden);

// By how much the error of a is lower than that of b, within repeats.
Estimate gain(const SettlingSettings& s, const Results& results, std::string_view a, std::string_view b,
              std::size_t hidden);

// A tenth of the error is far less than what the paper's networks differ by.
inline constexpr double allowed_share = 0.1;

// Held-out samples without an answer, of networks that have exactly one for each.
Claim settles_claim(int number, const std::string& statement, const SettlingSettings& s,
                    const Results& results, std::span<const std::string_view> names,
                    std::span<const std::size_t> sizes);

}  // namespace irn::experiments
