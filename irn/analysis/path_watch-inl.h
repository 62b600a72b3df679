// What a flow does that has not come to rest: told from a piece of it (settling_path.h).
#pragma once

#include "irn/analysis/settling_path.h"

namespace irn {

// Fills in what `path` comes to, `piece` being what follows it, of problem i.
void judge(const Trajectory& piece, const Problem& problem, std::size_t i, double tolerance,
           SettlingPath& path);

}  // namespace irn
