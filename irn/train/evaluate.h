// The error of a network over a data set of any size in constant memory.
#pragma once

#include "irn/equilibrium/settle.h"
#include "irn/train/loss.h"

namespace irn {

struct Evaluation {
  double loss = 0;  // mean over the settled samples; not a number if none settled
  Summary summary;  // how many settled, and the others' outcomes
};

// Goes over the data in blocks; the sum is taken in the order of the samples, so its bits do not depend on threads.
template <class T>
Evaluation evaluate(Settler<T>& settler, const Samples<T>& samples, const Loss& loss = Squares{});

}  // namespace irn
