#include "irn/network/architecture.h"

#include <algorithm>
#include <charconv>

#include "irn/base/error.h"
#include "irn/base/options_text.h"

namespace irn {
namespace {

// More would not fit into any memory we know; refusing it here keeps every later product of sizes from wrapping around.
constexpr std::size_t largest_size = std::size_t{1} << 24;        // of a layer, and of the inputs
constexpr std::size_t largest_parameters = std::size_t{1} << 60;  // their bytes can still be counted

bool in_pattern(Recurrence r, std::size_t from, std::size_t to) {
  const bool lateral = r == Recurrence::lateral || r == Recurrence::full;
  const bool feedback = r == Recurrence::feedback || r == Recurrence::full;
  return from + 1 == to || (lateral && from == to) || (feedback && from == to + 1);
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text), rest_(text) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw Error("network '" + std::string(text_) + "': " + what + " at '" + std::string(rest_) +
                "'; write it like 100-5-2, 100-5-2/none or 784-64relu-10identity/lateral+0:2");
  }
  bool done() const { return rest_.empty(); }
  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // Whether "-from:to" comes next, which takes a connection away; else a '-' leads to a layer.
  bool at_removal() const {
    const std::size_t end = rest_.find_first_not_of("0123456789", 1);
    return rest_.starts_with('-') && end != rest_.npos && rest_[end] == ':';
  }
  std::size_t number(const char* what) {
    std::size_t value = 0;
    const auto [end, code] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (code != std::errc()) fail(std::string("expected ") + what);
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  bool at_digit() const { return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9'; }
  std::string_view word() {
    std::size_t length = 0;
    while (length < rest_.size() && rest_[length] >= 'a' && rest_[length] <= 'z') ++length;
    const std::string_view found = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return found;
  }

 private:
  std::string_view text_, rest_;
};

template <std::size_t N>
std::size_t index_of(const std::array<std::string_view, N>& names, std::string_view name, const char* what) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) options_detail::refuse_name(name, what, names);
  return static_cast<std::size_t>(found - names.begin());
}

// What follows a '='.
Operator read_operator(Reader& reader) {
  const std::string_view word = reader.word();
  if (word.empty()) reader.fail("expected an operator, such as diagonal or lowrank4,");
  return operator_from_text(word, reader.at_digit() ? reader.number("a number") : 0);
}

// Refuses an operator that a block of this shape cannot have, before anything is changed.
void check_shape(const Operator& op, std::size_t rows, std::size_t cols, std::size_t from, std::size_t to) {
  try {
    if (const Own* own = std::get_if<Own>(&op))
      make_own(own->registered, own->number, rows, cols);
    else
      factors_of(op, rows, cols);
  } catch (const Error& error) {
    throw Error("connection " + std::to_string(from) + ":" + std::to_string(to) + ": " + error.what());
  }
}

Layer read_layer(Reader& reader) {
  Layer layer{reader.number("the size of a layer")};
  if (const std::string_view word = reader.word(); !word.empty())
    layer.activation = static_cast<Activation>(index_of(activation_names, word, "activation"));
  return layer;
}

}  // namespace

template <>
Recurrence from_text<Recurrence>(std::string_view name) {
  return static_cast<Recurrence>(index_of(recurrence_names, name, "recurrence"));
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
    first_neuron_.push_back(neurons_);
    neurons_ += size;
  }
  for (std::size_t to = 1; to <= layers_.size(); ++to)
    for (std::size_t from = 0; from <= layers_.size(); ++from)
      if (in_pattern(recurrence, from, to)) add(from, to);
  place_blocks();
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
  add(from, to);
  place_blocks();
  return *this;
}

Architecture& Architecture::connect(std::size_t from, std::size_t to, const Operator& op) {
  check_nodes(from, to);
  Architecture changed = *this;  // if something is refused, nothing has changed
  changed.set_operator(from, to, op);
  changed.place_blocks();
  return *this = std::move(changed);
}

// Leaves the blocks to be placed.
void Architecture::set_operator(std::size_t from, std::size_t to, const Operator& op) {
  check_shape(op, size_of(to), size_of(from), from, to);
  Block* block = find(from, to);
  (block ? *block : add(from, to)).op = op;
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

Architecture Architecture::parse(std::string_view text) {
  Reader reader(text);
  const std::size_t inputs = reader.number("the number of inputs");
  std::vector<Layer> layers;
  while (!reader.at_removal() && reader.take('-')) layers.push_back(read_layer(reader));
  if (layers.empty() && !reader.done()) reader.fail("expected '-' and the size of a layer");
  const bool named = reader.take('/');
  const Recurrence recurrence = named ? from_text<Recurrence>(reader.word()) : Recurrence::full;
  Architecture result(inputs, std::move(layers), recurrence);
  if (named && reader.take('=')) {
    const Operator op = read_operator(reader);
    for (Block& block : result.blocks_) {
      if (block.forward()) continue;
      check_shape(op, block.rows, block.cols, block.from, block.to);
      block.op = op;
    }
    result.place_blocks();
  }
  while (!reader.done()) {
    const bool add = reader.take('+');
    if (!add && !reader.take('-')) reader.fail("expected '/', '+' or '-'");
    const std::size_t from = reader.number("the number of a layer");
    if (!reader.take(':')) reader.fail("expected ':'");
    const std::size_t to = reader.number("the number of a layer");
    if (!add)
      result.disconnect(from, to);
    else if (reader.take('='))
      result.connect(from, to, read_operator(reader));
    else
      result.connect(from, to);
  }
  return result;
}

// Chooses the recurrence, and the operator of its blocks, that leave the fewest single connections to name, so that parse(text()) gives
// this back.
std::string Architecture::text() const {
  std::string sizes = std::to_string(inputs_);
  for (const Layer& layer : layers_) {
    sizes += "-" + std::to_string(layer.size);
    if (layer.activation != Activation::sigmoid) sizes += name(layer.activation);
  }
  const std::size_t nodes = layers_.size() + 1;
  std::vector<const Block*> at(nodes *
                               nodes);    // asking connected() each time would take the cube of the layers
  std::vector<std::string> kinds = {""};  // of recurrent blocks
  for (const Block& b : blocks_) {
    at[b.to * nodes + b.from] = &b;
    const std::string kind = b.dense() ? "" : "=" + to_text(b.op);
    constexpr std::size_t most_kinds = 4;  // enough for a short text; a file may name any number
    if (!b.forward() && kinds.size() < most_kinds &&
        std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
      kinds.push_back(kind);
  }
  const auto change = [&](Recurrence recurrence, const std::string& kind, std::size_t from, std::size_t to) {
    const Block* block = at[to * nodes + from];
    const bool expected = in_pattern(recurrence, from, to);
    if (!block && !expected) return std::string();
    const std::string connection = std::to_string(from) + ":" + std::to_string(to);
    if (!block) return "-" + connection;
    const std::string own = block->dense() ? "" : "=" + to_text(block->op);
    if (expected && own == (from < to ? "" : kind)) return std::string();
    return "+" + connection + (expected && own.empty() ? "=dense" : own);
  };
  std::string best;
  for (std::size_t r = recurrence_names.size(); r-- > 0;)
    for (const std::string& kind : kinds) {
      std::string candidate = "/" + std::string(recurrence_names[r]) + kind;
      for (std::size_t to = 1; to <= layers_.size(); ++to)
        for (std::size_t from = 0; from <= layers_.size(); ++from)
          candidate += change(static_cast<Recurrence>(r), kind, from, to);
      if (best.empty() || candidate.size() < best.size()) best = std::move(candidate);
    }
  return sizes + (best == "/full" ? "" : best);
}

template <>
Architecture from_text<Architecture>(std::string_view text) {
  return Architecture::parse(text);
}
std::string to_text(const Architecture& architecture) { return architecture.text(); }

}  // namespace irn
