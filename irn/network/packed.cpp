#include "irn/network/packed.h"

#include <algorithm>

#include "irn/base/error.h"
#include "irn/network/operator_algebra.h"

namespace irn {
namespace {

struct Span {
  std::size_t first, count;
};

// A block of a product and the first entry of the vector that it reads.
struct Incoming {
  std::size_t col;
  const Block* block;
};

template <class T>
class GroupBuilder {
 public:
  explicit GroupBuilder(bool transposed) : transposed_(transposed) {}

  // One row of blocks, which has these rows of the matrix; `all` is sorted by column.
  void add(Span rows, Activation activation, const std::vector<Incoming>& all) {
    std::vector<Incoming> incoming;
    for (const Incoming& in : all)
      if (in.block->dense()) incoming.push_back(in);
    const bool all_dense = incoming.size() == all.size();
    std::vector<PanelRange> ranges;
    for (const Incoming& in : incoming) {
      const std::size_t cols = transposed_ ? in.block->rows : in.block->cols;
      if (!ranges.empty() && ranges.back().first + ranges.back().count == in.col)
        ranges.back().count += cols;
      else
        ranges.push_back({in.col, cols});
    }
    if (!all_dense || !extends_last(rows, activation, ranges))
      groups_.push_back({rows.first, activation, {}, {}, {}}), open(ranges);
    RowGroup<T>& group = groups_.back();
    std::size_t column = 0;
    for (const Incoming& in : incoming) {
      const Block& b = *in.block;
      const std::size_t cols = transposed_ ? b.rows : b.cols;
      group.pieces.push_back({rows.first - group.first, rows.count, column, cols, b.weights,
                              transposed_ ? 1 : b.cols, transposed_ ? b.cols : 1});
      column += cols;
    }
    group.panels.rows += rows.count;
    for (const Incoming& in : all)
      if (!in.block->dense()) group.chains.push_back(chain_of(in));
  }

  std::vector<RowGroup<T>> finish() {
    for (RowGroup<T>& g : groups_) g.panels = Panels<T>(g.panels.rows, g.panels.ranges);
    return std::move(groups_);
  }

 private:
  bool extends_last(Span rows, Activation activation, const std::vector<PanelRange>& ranges) const {
    if (groups_.empty()) return false;
    const RowGroup<T>& last = groups_.back();
    return last.chains.empty() && last.activation == activation &&
           last.first + last.panels.rows == rows.first && last.panels.ranges == ranges;
  }
  // The chain of a block. Its group has the rows of one layer only; dense blocks are added before it.
  PackedChain<T> chain_of(const Incoming& in) const {
    PackedChain<T> chain{.row = 0, .col = in.col};
    std::size_t at = in.block->weights;
    for (const Factor& factor : in.block->factors()) {
      chain.links.push_back({factor, transposed_, at});
      at += factor.parameters();
    }
    if (const Own* own = std::get_if<Own>(&in.block->op)) chain.own = own->made;
    if (transposed_) std::reverse(chain.links.begin(), chain.links.end());
    for (auto& link : chain.links) {
      const std::size_t out = transposed_ ? link.factor.cols : link.factor.rows,
                        in_count = transposed_ ? link.factor.rows : link.factor.cols;
      if (link.factor.kind == Factor::Kind::matrix)
        link.panels = Panels<T>(out, {{0, in_count}});
      else if (link.factor.kind == Factor::Kind::convolution)
        link.convolution =
            PackedConvolution<T>({link.factor.convolution, link.factor.flipped != transposed_});
      else
        link.numbers.resize(link.factor.parameters());
    }
    return chain;
  }
  void open(const std::vector<PanelRange>& ranges) { groups_.back().panels.ranges = ranges; }

  bool transposed_;
  std::vector<RowGroup<T>> groups_;
};

// Layers by number, both ends included, and the neuron from which theirs are counted.
struct Layers {
  std::size_t first, last, neurons_from = 0;
  bool holds(std::size_t layer) const { return layer >= first && layer <= last; }
};

Layers all_of(const Architecture& architecture) { return {1, architecture.layers().size()}; }

// Rows of A: one row of blocks for each target layer. Layers without blocks from `sources` have empty rows,
// which leave the start unchanged, or none if `leave_out_empty`.
template <class T>
std::vector<RowGroup<T>> by_target(const Architecture& architecture, Layers targets, Layers sources,
                                   bool leave_out_empty = false) {
  GroupBuilder<T> builder(false);
  for (std::size_t l = targets.first; l <= targets.last; ++l) {
    std::vector<Incoming> incoming;
    for (const Block& b : architecture.blocks())
      if (b.to == l && !b.from_input() && sources.holds(b.from))
        incoming.push_back({b.col - sources.neurons_from, &b});
    const Layer& layer = architecture.layers()[l - 1];
    if (incoming.empty() && leave_out_empty) continue;
    builder.add({architecture.first_neuron(l) - targets.neurons_from, layer.size}, layer.activation,
                incoming);
  }
  return builder.finish();
}

// Rows of B. Layers without a block from the input have no rows: their drive is the bias.
template <class T>
std::vector<RowGroup<T>> by_input(const Architecture& architecture) {
  GroupBuilder<T> builder(false);
  for (const Block& b : architecture.blocks())
    if (b.from_input()) builder.add({b.row, b.rows}, Activation::identity, {{b.col, &b}});
  return builder.finish();
}

// Rows of A^T: one row of blocks for each source layer.
template <class T>
std::vector<RowGroup<T>> by_source(const Architecture& architecture, Layers sources, Layers targets,
                                   bool forward_only = false) {
  GroupBuilder<T> builder(true);
  for (std::size_t l = sources.first; l <= sources.last; ++l) {
    std::vector<Incoming> incoming;
    for (const Block& b : architecture.blocks())
      if (b.from == l && targets.holds(b.to) && (b.forward() || !forward_only))
        incoming.push_back({b.row - targets.neurons_from, &b});
    builder.add({architecture.first_neuron(l) - sources.neurons_from, architecture.layers()[l - 1].size},
                Activation::identity, incoming);
  }
  return builder.finish();
}

// The only row of blocks of B^T.
template <class T>
std::vector<RowGroup<T>> to_input(const Architecture& architecture) {
  GroupBuilder<T> builder(true);
  std::vector<Incoming> incoming;
  for (const Block& b : architecture.blocks())
    if (b.from_input()) incoming.push_back({b.row, &b});
  builder.add({0, architecture.inputs()}, Activation::identity, incoming);
  return builder.finish();
}

template <class T>
PackedStages<T> parts_of(const Architecture& architecture, const Stages& stages, bool transposed) {
  const std::size_t last = architecture.layers().size(), from = architecture.first_neuron(stages.first_layer);
  const Layers before{1, stages.first_layer - 1}, core{stages.first_layer, stages.last_layer, from},
      behind{stages.last_layer + 1, last}, all{1, last};
  PackedStages<T> parts{.first = from};
  for (std::size_t l = core.first; l <= core.last; ++l) parts.neurons += architecture.layers()[l - 1].size;
  parts.before = by_target<T>(architecture, before, all);
  parts.into_core = by_target<T>(architecture, core, before, true);
  parts.core = by_target<T>(architecture, core, core);
  parts.behind = by_target<T>(architecture, behind, all);
  if (!transposed) return parts;
  parts.behind_transposed = by_source<T>(architecture, behind, behind);
  parts.core_from_behind = by_source<T>(architecture, core, behind);
  parts.core_transposed = by_source<T>(architecture, core, core);
  parts.before_transposed = by_source<T>(architecture, before, all);
  return parts;
}

template <class T>
void pack_convolution(typename PackedChain<T>::Link& link, const T* numbers) {
  if (link.factor.every_number == 0) return link.convolution.pack(numbers);
  for (std::vector<T>& weights : link.convolution.weights)
    std::fill(weights.begin(), weights.end(), static_cast<T>(link.factor.every_number));
}

template <class T>
void pack_link(typename PackedChain<T>::Link& link, const T* numbers) {
  if (link.factor.kind == Factor::Kind::convolution) return pack_convolution<T>(link, numbers);
  if (link.factor.kind != Factor::Kind::matrix) {
    std::copy_n(numbers, link.numbers.size(), link.numbers.data());
    return;
  }
  const std::size_t cols = link.factor.cols;
  link.panels.set(0, link.panels.rows, 0, link.panels.depth, numbers, link.transposed ? 1 : cols,
                  link.transposed ? cols : 1);
}

template <class T>
void pack(std::vector<RowGroup<T>>& groups, std::span<const T> parameters, ThreadPool* threads) {
  for (RowGroup<T>& g : groups)
    for_ranges(threads, panel_count(g.panels.rows),
               numbers_worth_a_thread / (max_panel_height * (g.panels.depth + 1)) + 1,
               [&](std::size_t first, std::size_t count) {
                 for (const auto& p : g.pieces)
                   for (std::size_t k = first; k < first + count; ++k)
                     g.panels.set_in_panel(k, p.row, p.rows, p.column, p.cols, parameters.data() + p.weights,
                                           p.row_stride, p.col_stride);
               });
  for (RowGroup<T>& g : groups)
    for (PackedChain<T>& chain : g.chains)
      for (auto& link : chain.links) pack_link<T>(link, parameters.data() + link.numbers_at);
}

}  // namespace

template <class T>
PackedNetwork<T>::PackedNetwork(const NetworkOf<T>& network, PackedNeeds needs)
    : a(by_target<T>(network.architecture(), all_of(network.architecture()), all_of(network.architecture()))),
      b(by_input<T>(network.architecture())),
      bias(network.architecture().neurons()),
      recurrent(network.architecture().recurrent()),
      architecture_(network.architecture()) {
  if (needs.dense_a) dense_a.assign(neurons() * neurons(), T(0));
  if (needs.dense_b) dense_b.assign(neurons() * architecture_.inputs(), T(0));
  const Layers all = all_of(architecture_);
  if (needs.a_transposed) a_transposed = by_source<T>(architecture_, all, all);
  if (needs.a_forward_transposed) a_forward_transposed = by_source<T>(architecture_, all, all, true);
  if (needs.b_transposed) b_transposed = to_input<T>(architecture_);
  if (const auto found = stages_of(architecture_))
    stages = parts_of<T>(architecture_, *found, needs.a_transposed);
  repack(network);
}

template <class T>
void PackedNetwork<T>::repack(const NetworkOf<T>& network, ThreadPool* threads) {
  if (!(network.architecture() == architecture_))
    throw Error("the parameters are those of network " + to_text(network.architecture()) + ", but network " +
                to_text(architecture_) + " is to be updated; make a new one instead");
  const std::span<const T> parameters = network.parameters();
  for (auto* groups : {&a, &b, &a_transposed, &a_forward_transposed, &b_transposed})
    pack(*groups, parameters, threads);
  if (stages)
    for (auto* groups :
         {&stages->before, &stages->into_core, &stages->core, &stages->behind, &stages->behind_transposed,
          &stages->core_from_behind, &stages->core_transposed, &stages->before_transposed})
      pack(*groups, parameters, threads);
  const std::size_t n = neurons();
  const auto write_all = [&](std::vector<T>& dense, bool inputs, std::size_t width) {
    for (const Block& block : architecture_.blocks())
      if (!dense.empty() && block.from_input() == inputs)
        write_dense(block, parameters.data() + block.weights, dense.data() + block.row * width + block.col,
                    width);
  };
  write_all(dense_a, false, n), write_all(dense_b, true, architecture_.inputs());
  write_biases(architecture_, parameters.data(), bias.data());
  if (!architecture_.dense()) numbers.assign(parameters.begin(), parameters.end());
  ++revision;
}

template class PackedNetwork<float>;
template class PackedNetwork<double>;

}  // namespace irn
