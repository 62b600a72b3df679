#include "irn/engine/cuda/product_plan.h"

#include <algorithm>

#include "irn/base/error.h"
#include "irn/network/operator_algebra.h"
#include "irn/network/stages.h"

namespace irn::cuda {
namespace {

unsigned narrowed(std::size_t number) {
  if (number > 0x7FFFFFFF)
    throw Error("a CUDA device does not take blocks of more than 2147483647 numbers; take device cpu");
  return static_cast<unsigned>(number);
}

// A factor or its transpose, as a convolution: a matrix is one between images of one place, a diagonal matrix
// one with as many groups as neurons.
struct Link {
  Factor factor;
  bool transposed;
  std::size_t first;  // index of its first parameter
  ConvolutionRoute route;
  std::size_t kernel = 1;
  bool is_part = false;

  Link(const Factor& f, bool is_transposed, std::size_t numbers_at)
      : factor(f), transposed(is_transposed), first(numbers_at) {
    if (f.kind == Factor::Kind::convolution) {
      route = ConvolutionRoute(f.convolution, f.flipped != transposed), kernel = f.convolution.taps();
      return;
    }
    const bool diagonal = f.kind == Factor::Kind::diagonal;
    route.groups = diagonal ? f.rows : 1;
    route.sources = diagonal ? 1 : transposed ? f.rows : f.cols;
    route.targets = diagonal ? 1 : transposed ? f.cols : f.rows;
    route.target_stride = transposed ? 1 : f.cols, route.source_stride = transposed ? f.cols : 1;
    route.group_stride = 1;
    route.height = route.width = route.bordered_height = route.bordered_width = route.target_plane = 1;
    route.phases = {{{0}, {0}, {0}, {0}}};
  }

  // One number for all entries, for an operator without parameters.
  Link(std::size_t groups, std::size_t sources, double every_number)
      : Link(Factor{.kind = Factor::Kind::diagonal, .rows = groups, .every_number = every_number}, false, 0) {
    route.sources = sources;
  }

  std::size_t plane() const { return route.height * route.width; }
  std::size_t channels() const { return route.groups * route.targets; }
  // With few channels that read the same entries, and little to read, sharing what is read would gain nothing
  // (by count, not measured).
  bool direct() const { return !is_part && route.targets < 8 && route.sources * kernel <= 64; }
  std::size_t padded() const { return direct() ? route.targets : (route.targets + 31) / 32 * 32; }
  // A long row of few entries would be one tile for which all wait, so it is summed in pieces.
  static constexpr std::size_t piece = 256;
  std::size_t pieces() const {
    const bool lies_long = factor.kind == Factor::Kind::matrix && route.targets <= ProductPlan::tile_rows &&
                           route.sources >= 4 * piece;
    return lies_long ? (route.sources + piece - 1) / piece : 1;
  }
  Link part(std::size_t k) const {
    Link some = *this;
    some.is_part = true;
    some.first += k * piece * route.source_stride;
    some.route.sources = std::min(piece, route.sources - k * piece);
    return some;
  }
  // The index of the parameter that this weight of a group is.
  std::size_t parameter(std::size_t g, std::size_t i, std::size_t tap, std::size_t o) const {
    return first + g * route.group_stride + o * route.target_stride + i * route.source_stride + tap;
  }
};

// Parts that divide the same rows in the same way.
struct Set {
  bool to_scratch;
  std::size_t at, plane, channels, groups = 0;  // groups: of its shared sources; 0 while there are none
  std::vector<std::vector<std::uint32_t>> to = {};
  std::vector<std::vector<PlanSource>> shared = {}, direct = {};  // for each part
  unsigned pass = 0;
  bool adds = false;

  Set(bool in_scratch, std::size_t first, const Link& link)
      : to_scratch(in_scratch), at(first), plane(link.route.target_plane), channels(link.channels()) {
    for (const auto& phase : link.route.phases) to.push_back(phase.to);
    shared.resize(to.size()), direct.resize(to.size());
  }
  bool takes(std::size_t first, const Link& link) const {
    if (to_scratch || at != first || plane != link.route.target_plane ||
        to.size() != link.route.phases.size())
      return false;
    for (std::size_t p = 0; p < to.size(); ++p)
      if (to[p] != link.route.phases[p].to) return false;
    return link.direct() || groups == 0 || groups == link.route.groups;
  }
};

class Builder {
 public:
  Builder(ProductPlan& plan, ProductPlan::Of which, bool in_pieces, const PlanSlice& slice)
      : plan_(plan), which_(which), in_pieces_(in_pieces), slice_(slice) {}

  void add(const Block& block) {
    const bool transposed = which_ == ProductPlan::Of::a_transposed;
    std::vector<Link> links;
    std::size_t numbers_at = block.weights;
    for (const Factor& factor : block.factors()) {
      links.emplace_back(factor, transposed, numbers_at);
      numbers_at += factor.parameters();
    }
    if (transposed) std::reverse(links.begin(), links.end());
    std::size_t from = transposed ? block.row : block.col;
    const std::size_t at = (transposed ? block.col : block.row) - slice_.origin;
    const bool long_rows = in_pieces_ && links.back().pieces() > 1 && links.back().pieces() <= most_pieces;
    if (!slice_.writes.holds(at + slice_.origin) || !slice_.reads.holds(from))
      return leave_out(block, links, long_rows);
    from -= slice_.origin;
    for (std::size_t k = 0; k + 1 < links.size(); ++k) {
      sets_.emplace_back(true, plan_.scratch, links[k]);
      sets_.back().pass = unsigned(k);
      put(block, links[k], k > 0, from, sets_.back());
      from = plan_.scratch;
      plan_.scratch += links[k].channels() * links[k].route.target_plane;
    }
    if (long_rows) return add_pieces(block, links.back(), unsigned(links.size() - 1), from, at);
    Set& set = set_for(at, links.back());
    set.pass = std::max(set.pass, unsigned(links.size() - 1));
    put(block, links.back(), links.size() > 1, from, set);
  }

  void finish() {
    for (const Pieces& all : pieces_) {
      const Link ones(all.rows, all.count, 1.0);
      if (all.left_out) {
        add_weights(all.block, ones);
        continue;
      }
      Set& set = set_for(all.to, ones);
      set.pass = std::max(set.pass, all.pass + 1);
      put(all.block, ones, true, all.from, set);
    }
    for (std::size_t k = 0; k < sets_.size(); ++k) {
      Set& set = sets_[k];
      set.adds = (slice_.adds || which_ == ProductPlan::Of::b) && !set.to_scratch;
      for (std::size_t j = 0; j < k; ++j)
        if (!set.to_scratch && !sets_[j].to_scratch && sets_[j].at == set.at)
          set.adds = true, set.pass = std::max(set.pass, sets_[j].pass + 1);
      for (std::size_t p = 0; p < set.to.size(); ++p) write_part(set, p);
    }
  }

 private:
  // Sums in pieces: entry o of piece k is in scratch memory at from + o * count + k.
  struct Pieces {
    Block block;
    std::size_t from, to, rows, count;
    unsigned pass;
    bool left_out = false;
  };
  static constexpr std::size_t most_pieces = 64;  // as many as an entry sums alone
  // Lists the weights of a block that is not in the slice.
  void leave_out(const Block& block, const std::vector<Link>& links, bool in_pieces) {
    for (const Link& link : links) add_weights(block, link);
    if (in_pieces) pieces_.push_back({block, 0, 0, links.back().channels(), links.back().pieces(), 0, true});
  }
  void add_pieces(const Block& block, const Link& link, unsigned pass, std::size_t from, std::size_t to) {
    const std::size_t count = link.pieces();
    pieces_.push_back({block, plan_.scratch, to, link.channels(), count, pass});
    for (std::size_t k = 0; k < count; ++k) {
      const Link part = link.part(k);
      sets_.emplace_back(true, plan_.scratch + k, part);
      sets_.back().plane = count, sets_.back().pass = pass;
      put(block, part, pass > 0, from + k * Link::piece, sets_.back());
    }
    plan_.scratch += link.channels() * count;
  }

  Set& set_for(std::size_t at, const Link& link) {
    for (Set& set : sets_)
      if (set.takes(at, link)) return set;
    return sets_.emplace_back(false, at, link);
  }

  void put(const Block& block, const Link& link, bool from_scratch, std::size_t from, Set& set) {
    const std::size_t weights = add_weights(block, link);
    if (!link.direct()) set.groups = link.route.groups;
    for (std::size_t p = 0; p < set.to.size(); ++p) {
      const ConvolutionRoute::Phase& phase = link.route.phases[p];
      (link.direct() ? set.direct : set.shared)[p].push_back({.from_scratch = from_scratch,
                                                              .at = narrowed(from),
                                                              .plane = narrowed(link.plane()),
                                                              .channels = narrowed(link.route.sources),
                                                              .group = narrowed(link.route.targets),
                                                              .taps = narrowed(phase.taps.size()),
                                                              .table = add_table(link.route, phase),
                                                              .kernel = narrowed(link.kernel),
                                                              .numbers = add_list(phase.numbers),
                                                              .padded = narrowed(link.padded()),
                                                              .weights = weights});
    }
  }

  unsigned add_list(const std::vector<std::uint32_t>& list) {
    const unsigned at = narrowed(plan_.tables.size());
    for (const std::uint32_t entry : list) plan_.tables.push_back(int(entry));
    return at;
  }
  // The entries of a plane without its border.
  unsigned add_table(const ConvolutionRoute& route, const ConvolutionRoute::Phase& phase) {
    const unsigned first = narrowed(plan_.tables.size());
    for (const std::uint32_t tap : phase.taps)
      for (const std::uint32_t from : phase.from) {
        const std::size_t y = (from + tap) / route.bordered_width, x = (from + tap) % route.bordered_width;
        const bool inside =
            y >= route.top && y - route.top < route.height && x >= route.left && x - route.left < route.width;
        plan_.tables.push_back(inside ? int((y - route.top) * route.width + x - route.left) : none);
      }
    return first;
  }

  std::size_t add_weights(const Block& block, const Link& link) {
    // Aligned so that four numbers can be read at once.
    const std::size_t begin = (plan_.parameter.size() + 3) / 4 * 4, padded = link.padded();
    const bool own = link.factor.kind == Factor::Kind::own, fixed = link.factor.every_number != 0;
    const std::size_t rows = link.route.groups * link.route.sources * link.kernel;
    narrowed(link.parameter(link.route.groups, link.route.sources, link.kernel, link.route.targets));
    plan_.parameter.resize(begin + rows * padded, none);
    if (own) plan_.own.push_back({begin, padded, block, link.transposed});
    if (fixed) plan_.fixed.push_back({begin, rows * padded, link.factor.every_number});
    if (own || fixed) return begin;
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t o = 0; o < link.route.targets; ++o) {
        const std::size_t i = row / link.kernel;
        plan_.parameter[begin + row * padded + o] =
            int(link.parameter(i / link.route.sources, i % link.route.sources, row % link.kernel, o));
      }
    return begin;
  }

  void write_part(const Set& set, std::size_t p) {
    const auto &shared = set.shared[p], &direct = set.direct[p];
    plan_.parts.push_back({.to_scratch = set.to_scratch,
                           .at = narrowed(set.at),
                           .plane = narrowed(set.plane),
                           .channels = narrowed(set.channels),
                           .group = narrowed(set.channels / std::max<std::size_t>(set.groups, 1)),
                           .places = narrowed(set.to[p].size()),
                           .to = add_list(set.to[p]),
                           .first = narrowed(plan_.sources.size()),
                           .shared = narrowed(shared.size()),
                           .direct = narrowed(direct.size()),
                           .adds = set.adds});
    plan_.pass.push_back(set.pass);
    plan_.sources.insert(plan_.sources.end(), shared.begin(), shared.end());
    plan_.sources.insert(plan_.sources.end(), direct.begin(), direct.end());
  }

  ProductPlan& plan_;
  ProductPlan::Of which_;
  bool in_pieces_;
  PlanSlice slice_;
  std::vector<Set> sets_;
  std::vector<Pieces> pieces_;
};

bool has_kind(const Block& block, Factor::Kind kind) {
  return std::ranges::any_of(block.factors(), [&](const Factor& factor) { return factor.kind == kind; });
}

}  // namespace

bool goes_by_plan(const Architecture& architecture) {
  constexpr std::size_t small = 192;
  if (!architecture.recurrent() || architecture.neurons() <= small) return false;
  return architecture.neurons() > widest_matrix ||
         std::ranges::any_of(architecture.blocks(),
                             [](const Block& block) { return has_kind(block, Factor::Kind::convolution); });
}
bool trains_by_plan(const Architecture& architecture) {
  return goes_by_plan(architecture) && std::ranges::all_of(architecture.blocks(), [](const Block& block) {
           return block.factors().size() == 1 && !has_kind(block, Factor::Kind::own);
         });
}

ProductPlan::ProductPlan(const Architecture& architecture, Of which, bool in_pieces, const PlanSlice& slice) {
  Builder builder(*this, which, in_pieces, slice);
  for (const Block& block : architecture.blocks())
    if (block.from_input() == (which == Of::b)) builder.add(block);
  builder.finish();
  if (!pass.empty() && *std::ranges::max_element(pass) >= most_passes)
    throw Error("a CUDA device does not have so many kinds of blocks into one layer as network " +
                to_text(architecture) + " has; take device cpu");
}

std::shared_ptr<const StagedPlans> staged_plans(const Architecture& architecture, ProductPlan::Of which) {
  const auto stages = stages_of(architecture);
  if (!stages) return nullptr;
  using Range = PlanSlice::Range;
  const bool back = which == ProductPlan::Of::a_transposed;
  const auto neurons_of_layer = [&](std::size_t layer) {
    const std::size_t first = architecture.first_neuron(layer);
    return Range{first, first + architecture.layers()[layer - 1].size};
  };
  const auto plan_of = [&](const PlanSlice& slice) {
    auto plan = std::make_shared<const ProductPlan>(architecture, which, true, slice);
    return plan->parts.empty() ? nullptr : plan;
  };
  const Range core{neurons_of_layer(stages->first_layer).first, neurons_of_layer(stages->last_layer).end};
  // The neurons before a range.
  const auto before = [&](const Range& range) {
    return back ? Range{range.end, architecture.neurons()} : Range{0, range.first};
  };
  StagedPlans all{.first = core.first, .neurons = core.end - core.first};
  for (std::size_t k = 1; k <= architecture.layers().size(); ++k) {
    const std::size_t layer = back ? architecture.layers().size() + 1 - k : k;
    if (stages->holds(layer)) continue;
    const Range range = neurons_of_layer(layer);
    const bool first = back ? layer > stages->last_layer : layer < stages->first_layer;
    (first ? all.up_to_core : all.beyond)
        .push_back({range.first, range.end - range.first,
                    plan_of({.writes = range, .reads = before(range), .adds = true})});
  }
  all.into_core = plan_of({.writes = core, .reads = before(core), .adds = true});
  all.core = plan_of({.writes = core, .reads = core, .origin = core.first});
  return std::make_shared<const StagedPlans>(std::move(all));
}

void ProductPlan::arrange(const float* parameters, float* weights) const {
  for (std::size_t k = 0; k < parameter.size(); ++k)
    weights[k] = parameter[k] == none ? 0.0f : parameters[parameter[k]];
  for (const Fixed& f : fixed) std::fill_n(weights + f.first, f.count, static_cast<float>(f.value));
  for (const MultipliedOut& m : own) {
    const Block& block = m.block;
    std::vector<float> matrix(block.rows * block.cols);
    write_dense(block, parameters + block.weights, matrix.data(), block.cols);
    for (std::size_t i = 0; i < block.rows; ++i)
      for (std::size_t j = 0; j < block.cols; ++j)
        weights[m.first + (m.transposed ? i * m.padded + j : j * m.padded + i)] = matrix[i * block.cols + j];
  }
}

}  // namespace irn::cuda
