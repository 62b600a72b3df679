// What a task's networks came to at every depth, and claims on how that changes with it.
#pragma once

#include <functional>

#include "experiments/depth/networks.h"
#include "experiments/settling/measured.h"

namespace irn::experiments {

// One task at depths 1, 2, ..., deepest.
struct DepthTask {
  std::string name, label, value;  // of files; in words; what a Measured's value is: "error"
  std::size_t deepest = 0, held_out = 0;
  std::function<Measured(const Method&, std::size_t depth)> at;
  std::function<std::vector<std::size_t>(const Method&, std::size_t depth)> widths;
  std::function<std::size_t(const Method&, std::size_t depth)> parameters;
  // Of values, so that more is better: differences of scores are told by `words`.
  double (*score)(double value) = nullptr;
  std::string (*words)(const Estimate& difference) = nullptr;
  std::string unit = {};  // of these words, behind a list of them
  bool log = false;       // the axis of values
};

// Scores of a - b, repeat by repeat.
Estimate advantage(const DepthTask& task, std::string_view a, std::string_view b, std::size_t depth);
// The slope of that over depth by least squares, repeat by repeat: what a layer more adds to it.
Estimate growth(const DepthTask& task, std::string_view a, std::string_view b);

// Claims first, first + 1, ..., first + 6.
std::vector<Claim> depth_claims(const DepthTask& task, int first);
report::Figure depth_figure(const DepthTask& task, const std::string& caption);
// Values; evaluations and shares settled; layers and parameters.
std::vector<report::Table> depth_tables(const DepthTask& task);

}  // namespace irn::experiments
