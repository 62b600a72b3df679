// Claims of the paper, judged by the learning curves.
#pragma once

#include "experiments/part.h"

namespace irn::experiments {

Claim order_claim(const Protocol& p,
                  const Results& results);  // 6: exact beats semi-gradient beats feed-forward
Claim variance_claim(const Protocol& p, const Results& results);  // 7: feed-forward has the larger variance

}  // namespace irn::experiments
