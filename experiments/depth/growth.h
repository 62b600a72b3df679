// The results of a task's networks at every depth, and claims on how they change with depth.
#pragma once

#include <functional>

#include "experiments/depth/networks.h"
#include "experiments/settling/measured.h"

namespace irn::experiments {

// One task at depths 1, 2, ..., deepest.
struct DepthTask {
  std::string name, label, value;  // in file names; in words; the meaning of Measured::value: "error"
  std::size_t deepest = 0, held_out = 0;
  std::function<Measured(const Method&, std::size_t depth)> at;
  std::function<std::vector<std::size_t>(const Method&, std::size_t depth)> widths;
  std::function<std::size_t(const Method&, std::size_t depth)> parameters;
  // Maps a value to a score, of which more is better; `words` puts differences of scores into words.
  double (*score)(double value) = nullptr;
  std::string (*words)(const Estimate& difference) = nullptr;
  std::string unit = {};  // of these words, after a list of them
  bool log = false;       // the axis of values is logarithmic
};

// Score of a minus score of b, within repeats.
Estimate advantage(const DepthTask& task, std::string_view a, std::string_view b, std::size_t depth);
// The slope of the advantage over depth by least squares, within repeats: what another layer adds to it.
Estimate growth(const DepthTask& task, std::string_view a, std::string_view b);

// Claims number first, ..., first + 6.
std::vector<Claim> depth_claims(const DepthTask& task, int first);
report::Figure depth_figure(const DepthTask& task, const std::string& caption);
// Values; evaluations and shares settled; layers and parameters.
std::vector<report::Table> depth_tables(const DepthTask& task);

}  // namespace irn::experiments
