// A product with A or B as a device computes it, block by block: lists and tables that know nothing of convolutions.
//
// The result falls into parts, each a range of channels x places. Entry (channel o, place p) of a part is a sum over its sources, in each over channels i of
// the vector and taps t:
//
//   sum of  weights[i][t][o]  vector[at + i * plane + table[t][p]]
//
// where the table has no entry (none), nothing is added. A matrix has one place and one tap, and every neuron is a channel. Of a transposed product with a stride, places
// that see the same taps are a part of their own (ConvolutionRoute). Products of several factors go through scratch memory, one pass after the
// other; so do blocks into the same rows that divide them in other ways. An operator of the caller's is multiplied out.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

#include "irn/network/architecture.h"

namespace irn::cuda {

// What one factor adds to a part.
struct PlanSource {
  unsigned from_scratch, at, plane;  // what it reads: where, from its first entry on, entries a channel
  unsigned channels, group;          // channels read by each group of `group` channels of the result
  unsigned taps, table;              // table: [tap][place]
  unsigned kernel, numbers;  // taps of the whole kernel, and where it is said which of them each tap is
  unsigned padded;           // numbers from a row of weights to the next: [group][channel][kernel][o]
  std::size_t weights;       // where they begin
};

struct PlanPart {
  unsigned to_scratch, at, plane;  // where its entries lie
  unsigned channels, group;        // in all, and those that a tile may have together
  unsigned places, to;             // to: in the tables, of each place the entry of the plane
  unsigned first, shared,
      direct;     // its sources: those that tiles sum together, then those that every entry sums for itself
  unsigned adds;  // to what is there already
};

// Rows `row` to `row` + `rows` of a part, columns from `column` on: sample * places + place.
struct PlanTile {
  unsigned part, row, rows, column;
};

// The most neurons of a network there: with a matrix, and by a plan.
inline constexpr std::size_t widest_matrix = 2048, widest = 16384;

inline constexpr int none = -1;
inline constexpr unsigned most_passes = 8;

// Whether a network in single precision has its products by a plan: wide ones, and those with convolutions, unless they are so small that a multiprocessor has room
// for the matrix. And whether its gradients go by plans, too: those of blocks of several factors, and of the caller's operators, do not.
bool goes_by_plan(const Architecture& architecture);
bool trains_by_plan(const Architecture& architecture);

// The part of a product that a plan makes: the blocks that write and read these neurons, counted from `origin` on; and whether it is added to what is there.
struct PlanSlice {
  struct Range {
    std::size_t first = 0, end = std::numeric_limits<std::size_t>::max();
    bool holds(std::size_t neuron) const { return neuron >= first && neuron < end; }
  };
  Range writes = {}, reads = {};
  std::size_t origin = 0;
  bool adds = false;
};

struct ProductPlan {
  enum class Of : unsigned char { a, b, a_transposed };
  // in_pieces: long rows of few entries are summed in pieces. Weights and what they are lie the same without, but for some at the end; and the same whatever the slice.
  ProductPlan(const Architecture& architecture, Of which, bool in_pieces = true, const PlanSlice& slice = {});

  // Rows of a tile, or half of them, and columns (plan_tiles.h).
  static constexpr unsigned tile_rows = 64, tile_columns = 128;
  // All weights as the device wants them.
  void arrange(const float* parameters, float* weights) const;

  std::vector<PlanPart> parts;
  std::vector<unsigned> pass;  // of each part
  std::vector<PlanSource> sources;
  std::vector<int> tables;
  std::vector<int> parameter;  // of each weight: which one it is, or none
  std::size_t scratch = 0;     // numbers a sample

  // Weights that are no parameters: a range of one value, and the matrix of an operator of the caller's.
  struct Fixed {
    std::size_t first, count;
    double value;
  };
  struct MultipliedOut {
    std::size_t first, padded;
    Block block;
    bool transposed;
  };
  std::vector<Fixed> fixed;
  std::vector<MultipliedOut> own;
};

// A network in stages (network/stages.h), in the order in which a product with A, or with its transpose, goes through them: layers by layer up to the core, the core, and what
// lies beyond. All plans read the weights of the whole.
struct StagedPlans {
  // What a layer reads of those that went before it, added to its entries; none: nothing.
  struct Sweep {
    std::size_t first, count;  // neurons
    std::shared_ptr<const ProductPlan> plan;
  };
  std::size_t first = 0, neurons = 0;  // of the core
  std::vector<Sweep> up_to_core, beyond;
  std::shared_ptr<const ProductPlan> into_core,
      core;  // neurons of `core` count from its first; into_core: or none
};
// Nothing where a search over the core alone is not worth it.
std::shared_ptr<const StagedPlans> staged_plans(const Architecture& architecture, ProductPlan::Of which);

}  // namespace irn::cuda
