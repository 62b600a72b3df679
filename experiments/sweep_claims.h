// Claims of the paper, judged by the sweep.
#pragma once

#include "experiments/part.h"

namespace irn::experiments {

// 8: exact is ahead at every hidden size, also of feed-forward networks with as many parameters.
// (Semi-gradient networks have as many as exact ones of their size.)
Claim ahead_claim(const Protocol& p, const Results& results);
Claim semi_claim(const Protocol& p, const Results& results);  // 9: the semi-gradient's disadvantage shrinks

}  // namespace irn::experiments
