// The parts of a claim over repeats, each of which says that a difference within repeats is above zero; and
// the verdict that follows from them.
#pragma once

#include <span>

#include "experiments/part.h"
#include "experiments/statistics.h"

namespace irn::experiments {

struct ClaimPart {
  std::string what;
  Estimate difference;  // above zero if the part holds
};

// How verdict() decides, for readers of a report.
inline constexpr std::string_view verdict_rule =
    "A part of a claim holds if the 95 % interval of its difference within repeats lies above zero, and does "
    "not hold if it lies below; else it is undecided. The claim holds if all its parts do, partly if more of "
    "them hold than do not, and is undecided if all are; else it does not hold.";
Finding verdict(std::span<const ClaimPart> parts);
std::size_t count(std::span<const ClaimPart> parts, Finding finding);

// As JSON: part, difference, low, high, verdict.
Json json(std::span<const ClaimPart> parts);
// The parts that claims keep in numbers["parts"]: claim, part, difference, interval, verdict.
report::Table parts_table(std::string caption, const std::vector<Claim>& claims);

}  // namespace irn::experiments
