// The error of a network over a data set of any size in constant memory.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "irn/equilibrium/settle.h"
#include "irn/train/loss.h"

namespace irn {

struct Evaluation {
  double loss = 0;   // mean over the samples that have an answer; not a number if none has
  double score = 0;  // of the same, see Score
  Summary summary;   // how many settled, and the others' outcomes
};

// Sums are taken over parts of a fixed size and then over the parts, in their order, so that their bits
// do not depend on threads.
template <class T>
Evaluation evaluate(Settler<T>& settler, const Samples<T>& samples, const Loss& loss = Squares{});

// Block after block of the samples, in order, with their states. How many are in a block depends on the threads.
template <class T>
using BlockVisitor = std::function<void(std::span<const std::uint64_t> index, const Equilibria<T>& states)>;
template <class T>
void settle_in_blocks(Settler<T>& settler, const Samples<T>& samples, const BlockVisitor<T>& visit);

}  // namespace irn
