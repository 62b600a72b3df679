// A product with A or B as a device computes it, block by block: lists and tables that know nothing of
// convolutions.
//
// The result is divided into parts, each a range of channels x places. Entry (channel o, place p) of a part
// is a sum over its sources, and in each source over channels i of the vector and taps t:
//
//   sum of  weights[i][t][o]  vector[at + i * plane + table[t][p]]
//
// Where the table has no entry (none), nothing is added. A matrix has one place and one tap, and every neuron
// is a channel. In a transposed product with a stride, places that see the same taps form a part of their own
// (ConvolutionRoute). Products of several factors go through scratch memory, one pass after the other; so do
// blocks that write the same rows but divide them differently. An operator of the caller's is multiplied out
// to a matrix.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

#include "irn/network/architecture.h"

namespace irn::cuda {

// What one factor adds to a part.
struct PlanSource {
  unsigned from_scratch, at, plane;  // what it reads: from where, the first entry, entries in a channel
  unsigned channels, group;          // channels read by each group of `group` channels of the result
  unsigned taps, table;              // table: [tap][place]
  unsigned kernel, numbers;          // taps of the whole kernel, and the table of which of them each tap is
  unsigned padded;                   // distance of rows of weights: [group][channel][kernel][o]
  std::size_t weights;               // where they begin
};

struct PlanPart {
  unsigned to_scratch, at, plane;  // where its entries are
  unsigned channels, group;        // all of them, and how many a tile may have together
  unsigned places, to;             // to: the table of each place's entry in the plane
  unsigned first, shared,
      direct;     // its sources: those that tiles sum together, then those that every entry sums alone
  unsigned adds;  // whether it adds to what is already there
};

// Rows `row` to `row` + `rows` of a part, and columns from `column` on; a column is sample * places + place.
struct PlanTile {
  unsigned part, row, rows, column;
};

// The most neurons of a network on a device: with a matrix, and by a plan.
inline constexpr std::size_t widest_matrix = 2048, widest = 16384;

inline constexpr int none = -1;
inline constexpr unsigned most_passes = 8;

// goes_by_plan: whether a network in single precision has its products by a plan: wide networks, and networks
// with convolutions unless they are so small that a multiprocessor has room for the matrix. trains_by_plan:
// whether its gradients go by plans, too; not with blocks of several factors or operators of the caller's.
bool goes_by_plan(const Architecture& architecture);
bool trains_by_plan(const Architecture& architecture);

// The part of a product that a plan computes: the blocks that write and read these neurons, counted from
// `origin` on; and whether it is added to what is already there.
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
  // in_pieces: long rows of few entries are summed in pieces. The weights and their meaning are at the same
  // places without pieces, except for some at the end, and for every slice.
  ProductPlan(const Architecture& architecture, Of which, bool in_pieces = true, const PlanSlice& slice = {});

  // A tile has this many rows, or half of them, and this many columns (plan_tiles.h).
  static constexpr unsigned tile_rows = 64, tile_columns = 128;
  // Writes all weights in the device's layout.
  void arrange(const float* parameters, float* weights) const;

  std::vector<PlanPart> parts;
  std::vector<unsigned> pass;  // of each part
  std::vector<PlanSource> sources;
  std::vector<int> tables;
  std::vector<int> parameter;  // for each weight: its index, or none
  std::size_t scratch = 0;     // numbers for each sample

  // Weights that are not parameters: ranges of one value, and matrices of the caller's operators.
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

// A network in stages (network/stages.h), in the order in which a product with A, or with its transpose, goes
// through them: layer by layer up to the core, the core, and the layers beyond. All plans read the weights of
// the whole network.
struct StagedPlans {
  // What a layer reads of earlier layers, to be added to its entries; the plan is null if that is nothing.
  struct Sweep {
    std::size_t first, count;  // neurons
    std::shared_ptr<const ProductPlan> plan;
  };
  std::size_t first = 0, neurons = 0;  // of the core
  std::vector<Sweep> up_to_core, beyond;
  std::shared_ptr<const ProductPlan> into_core,
      core;  // neurons of `core` count from its first; into_core may be null
};
// Null if a search over the core alone is not worth it.
std::shared_ptr<const StagedPlans> staged_plans(const Architecture& architecture, ProductPlan::Of which);

}  // namespace irn::cuda
