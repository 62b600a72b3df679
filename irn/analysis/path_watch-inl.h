// What a flow does that has not come to rest, judged by a piece of it (settling_path.h).
#pragma once

#include "irn/analysis/settling_path.h"

namespace irn {

// Completes `path` of problem i; `piece` is the part that follows it.
void judge(const Trajectory& piece, const Problem& problem, std::size_t i, double tolerance,
           SettlingPath& path);

}  // namespace irn
