#include "irn/network/architecture-inl.h"

#include <algorithm>

#include "irn/base/error.h"

namespace irn {
namespace {

// More would not fit into any known memory. With these limits no later product of sizes wraps around.
constexpr std::size_t largest_size = std::size_t{1} << 24;        // of a layer, and of the inputs
constexpr std::size_t largest_parameters = std::size_t{1} << 60;  // their bytes can still be counted

}  // namespace

bool in_pattern(Recurrence r, std::size_t from, std::size_t to) {
  const bool lateral = r == Recurrence::lateral || r == Recurrence::full;
  const bool feedback = r == Recurrence::feedback || r == Recurrence::full;
  return from + 1 == to || (lateral && from == to) || (feedback && from == to + 1);
}

std::string connection_text(std::size_t from, std::size_t to) {
  return std::to_string(from) + ":" + std::to_string(to);
}

Operator placed(const Operator& op, const ImageShape& source, const ImageShape& target, const Block& block) {
  try {
    const Operator result = between(op, source, target);
    if (const Own* own = std::get_if<Own>(&op))
      make_own(own->registered, own->number, block.rows, block.cols);
    else
      factors_of(result, block.rows, block.cols);
    return result;
  } catch (const Error& error) {
    throw Error("connection " + connection_text(block.from, block.to) + ": " + error.what());
  }
}

std::size_t size_of_image(const ImageShape& shape, const std::string& what) {
  for (const std::size_t side : {shape.channels, shape.height, shape.width}) {
    if (side == 0) throw Error(what + " of " + with_channels(shape) + " is empty");
    if (side > largest_size) throw Error(what + " of " + with_channels(shape) + " is too large");
  }
  if (shape.pixels() > largest_size || shape.size() > largest_size)
    throw Error(what + " of " + with_channels(shape) + " is too large");
  return shape.size();
}

Architecture::Architecture(std::size_t inputs, std::vector<Layer> layers, Recurrence recurrence)
    : inputs_(inputs), layers_(std::move(layers)) {
  if (inputs_ == 0) throw Error("a network needs at least one input; the first size is 0");
  if (layers_.empty()) throw Error("a network needs at least one layer after its inputs, as in 100-5-2");
  if (inputs_ > largest_size) throw Error("a network of " + std::to_string(inputs_) + " inputs is too large");
  for (std::size_t l = 1; l <= layers_.size(); ++l) {
    const std::size_t size = layers_[l - 1].size;
    if (size == 0) throw Error("layer " + std::to_string(l) + " is empty; give it at least one neuron");
    if (size > largest_size)
      throw Error("layer " + std::to_string(l) + " of " + std::to_string(size) + " neurons is too large");
    if (const ImageShape& shape = layers_[l - 1].shape; !shape.none() && shape.size() != size)
      throw Error("layer " + std::to_string(l) + " of " + std::to_string(size) + " neurons is no image of " +
                  with_channels(shape));
    first_neuron_.push_back(neurons_), first_bias_.push_back(bias_count_);
    neurons_ += size, bias_count_ += layers_[l - 1].biases();
  }
  for (std::size_t to = 1; to <= layers_.size(); ++to)
    for (std::size_t from = to - 1; from <= std::min(to + 1, layers_.size()); ++from)  // only neighbours
      if (in_pattern(recurrence, from, to)) add(from, to);
  place_blocks();
}

Architecture::Architecture(const ImageShape& inputs, std::vector<Layer> layers, Recurrence recurrence)
    : Architecture(size_of_image(inputs, "an input"), std::move(layers), recurrence) {
  input_shape_ = inputs;
}

void Architecture::place_blocks() {
  std::sort(blocks_.begin(), blocks_.end(),
            [](const Block& a, const Block& b) { return a.to != b.to ? a.to < b.to : a.from < b.from; });
  std::size_t next = 0;
  for (Block& block : blocks_) {
    block.rows = size_of(block.to);
    block.cols = size_of(block.from);
    block.row = first_neuron(block.to);
    block.col = block.from == 0 ? 0 : first_neuron(block.from);
    block.weights = next;
    if (Own* own = std::get_if<Own>(&block.op); own && !own->made)
      own->made = make_own(own->registered, own->number, block.rows, block.cols);
    block.parameters = 0;
    for (const Factor& factor : block.factors()) block.parameters += factor.parameters();
    const bool fits = block.parameters <= largest_parameters;  // so that the sum does not wrap
    next += fits ? block.parameters : 0;
    if (!fits || next > largest_parameters)
      throw Error("a network of more than " + std::to_string(largest_parameters) +
                  " parameters is too large; give it fewer or smaller layers");
  }
  biases_ = next;
}

void Architecture::check_nodes(std::size_t from, std::size_t to) const {
  if (to >= 1 && to <= layers_.size() && from <= layers_.size()) return;
  throw Error("connection " + std::to_string(from) + ":" + std::to_string(to) +
              " names a layer that does not exist; " + "0 is the input and the layers are 1 to " +
              std::to_string(layers_.size()));
}

bool Architecture::connected(std::size_t from, std::size_t to) const {
  return std::any_of(blocks_.begin(), blocks_.end(),
                     [&](const Block& b) { return b.from == from && b.to == to; });
}

Architecture& Architecture::connect(std::size_t from, std::size_t to) {
  check_nodes(from, to);
  if (connected(from, to))
    throw Error("connection " + std::to_string(from) + ":" + std::to_string(to) +
                " exists already; leave it out");
  return connect(from, to, Dense{});
}

Architecture& Architecture::connect(std::size_t from, std::size_t to, const Operator& op) {
  check_nodes(from, to);
  Architecture changed = *this;  // if something is refused, nothing is changed
  changed.set_operator(from, to, op);
  changed.place_blocks();
  return *this = std::move(changed);
}

// The caller must then call place_blocks().
void Architecture::set_operator(std::size_t from, std::size_t to, const Operator& op) {
  Block shape;
  shape.from = from, shape.to = to, shape.rows = size_of(to), shape.cols = size_of(from);
  const Operator fitted = placed(op, shape_of(from), shape_of(to), shape);
  Block* block = find(from, to);
  (block ? *block : add(from, to)).op = fitted;
}

Block& Architecture::add(std::size_t from, std::size_t to) {
  Block& block = blocks_.emplace_back();
  block.from = from, block.to = to;
  return block;
}

Block* Architecture::find(std::size_t from, std::size_t to) {
  const auto found = std::find_if(blocks_.begin(), blocks_.end(),
                                  [&](const Block& b) { return b.from == from && b.to == to; });
  return found == blocks_.end() ? nullptr : &*found;
}

Architecture& Architecture::disconnect(std::size_t from, std::size_t to) {
  check_nodes(from, to);
  if (!connected(from, to))
    throw Error("connection " + std::to_string(from) + ":" + std::to_string(to) +
                " does not exist; it cannot be removed");
  std::erase_if(blocks_, [&](const Block& b) { return b.from == from && b.to == to; });
  place_blocks();
  return *this;
}

bool Architecture::dense() const {
  return std::all_of(blocks_.begin(), blocks_.end(), [](const Block& b) { return b.dense(); });
}

bool Architecture::recurrent() const {
  return std::any_of(blocks_.begin(), blocks_.end(), [](const Block& b) { return !b.forward(); });
}

std::string Architecture::block_name(const Block& block) {
  const std::string source = block.from == 0 ? "input" : "layer" + std::to_string(block.from);
  return "layer" + std::to_string(block.to) + "." + source;
}

}  // namespace irn
