// Reads and writes the text of an architecture.
#include <algorithm>
#include <charconv>

#include "irn/base/error.h"
#include "irn/base/options_text.h"
#include "irn/network/architecture-inl.h"

namespace irn {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text), rest_(text) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw Error("network '" + std::string(text_) + "': " + what + " at '" + std::string(rest_) +
                "'; write it like 100-5-2, 784-64relu-10identity/lateral+0:2 or "
                "1x28x28-32k5s2relu-10identity/none+1:1=conv3");
  }
  bool done() const { return rest_.empty(); }
  bool at_word(std::string_view word) const { return rest_.starts_with(word); }
  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // Whether "-from:to" comes next, which removes a connection. Any other '-' begins a layer.
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
  // Whether one of these letters comes next, followed by a digit.
  bool at_size(std::string_view letters) const {
    return rest_.size() > 1 && letters.find(rest_[0]) != letters.npos && is_digit(rest_[1]);
  }
  // Letters and digits, such as conv5s2.
  std::string_view word_with_numbers() {
    const auto end =
        std::find_if_not(rest_.begin(), rest_.end(), [](char c) { return is_letter(c) || is_digit(c); });
    return taken(static_cast<std::size_t>(end - rest_.begin()));
  }
  // Numbers with one of these letters before each but the first.
  std::string_view sizes(std::string_view letters) {
    std::size_t length = 0;
    while (length < rest_.size() &&
           (is_digit(rest_[length]) ||
            (length + 1 < rest_.size() && letters.find(rest_[length]) != letters.npos &&
             is_digit(rest_[length + 1]))))
      ++length;
    return taken(length);
  }
  std::string_view word() {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), is_letter);
    return taken(static_cast<std::size_t>(end - rest_.begin()));
  }

 private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_letter(char c) { return c >= 'a' && c <= 'z'; }
  std::string_view taken(std::size_t length) {
    const std::string_view found = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return found;
  }
  std::string_view text_, rest_;
};

template <std::size_t N>
std::size_t index_of(const std::array<std::string_view, N>& names, std::string_view name, const char* what) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) options_detail::refuse_name(name, what, names);
  return static_cast<std::size_t>(found - names.begin());
}

// The operator after a '='.
Operator read_operator(Reader& reader) {
  const std::string_view text = reader.word_with_numbers();
  if (text.empty()) reader.fail("expected an operator, such as diagonal, lowrank4 or conv3,");
  return operator_from_text(text);
}

// Whether "=operator" may follow a recurrence: reading the text must not fail, not even for a block that the
// text removes later.
bool fits_everywhere(const std::vector<Layer>& layers, const std::string& kind, Recurrence recurrence) {
  for (std::size_t to = 1; !kind.empty() && to <= layers.size(); ++to)
    for (std::size_t from = to; from <= layers.size(); ++from) {
      const Layer &source = layers[from - 1], &target = layers[to - 1];
      Block block;
      block.from = from, block.to = to, block.rows = target.size, block.cols = source.size;
      try {
        if (in_pattern(recurrence, from, to))
          placed(operator_from_text(kind.substr(1)), source.shape, target.shape, block);
      } catch (const Error&) {
        return false;
      }
    }
  return true;
}

// A layer as written, with the operator that leads to it from the layer before.
struct WrittenLayer {
  Layer layer;
  Operator forward = Dense{};
};

ImageShape read_shape(Reader& reader, std::size_t channels) {
  ImageShape shape{channels};
  reader.take('x'), shape.height = reader.number("the height of an image");
  if (!reader.take('x')) reader.fail("expected 'x' and the width of an image");
  shape.width = reader.number("the width of an image");
  return shape;
}

// pool2 or up2.
WrittenLayer read_squares(Reader& reader, const ImageShape& before, const std::string& what) {
  const std::string_view word = reader.word();
  const std::string_view side = reader.sizes("");
  if (before.none())
    throw Error(what + " is " + std::string(word) + std::string(side) +
                ", but the layer before it has no shape");
  const Operator op = operator_from_text(std::string(word) + std::string(side));
  const ImageShape shape =
      word == Pool::name ? std::get<Pool>(op).made_of(before) : std::get<Upsample>(op).made_of(before);
  return {{.activation = Activation::identity, .shape = shape}, op};
}

// 64, 32x14x14 or 32k5s2.
WrittenLayer read_sizes(Reader& reader, const ImageShape& before, const std::string& what) {
  WrittenLayer written{{reader.number("the size of a layer")}};
  if (reader.at_size("x")) written.layer.shape = read_shape(reader, written.layer.size);
  if (!reader.at_size("k")) return written;
  reader.take('k');
  const Convolution convolution = Convolution::parse(reader.sizes("xspdg"));
  if (before.none())
    throw Error(what +
                " has kernels, but the layer before it has no shape; write it as channels x height x width, "
                "like 1x28x28");
  written.layer.shape = convolution.made_of(before, written.layer.size);
  written.forward = convolution;
  return written;
}

WrittenLayer read_layer(Reader& reader, const ImageShape& before, std::size_t number) {
  const std::string what = "layer " + std::to_string(number);
  try {
    WrittenLayer written = reader.at_word(Pool::name) || reader.at_word(Upsample::name)
                               ? read_squares(reader, before, what)
                               : read_sizes(reader, before, what);
    Layer& layer = written.layer;
    if (!layer.shape.none()) layer.size = size_of_image(layer.shape, what);
    if (const std::string_view word = reader.word(); !word.empty())
      layer.activation = static_cast<Activation>(index_of(activation_names, word, "activation"));
    return written;
  } catch (const Error& error) {
    const std::string text = error.what();
    throw Error(text.starts_with("network '") || text.starts_with(what) ? text : what + ": " + text);
  }
}

// Whether an operator that leads to a layer from the one before is written as a part of the layer.
bool is_written(const Operator& op) {
  return std::holds_alternative<Convolution>(op) || std::holds_alternative<Pool>(op) ||
         std::holds_alternative<Upsample>(op);
}
Activation usual_activation(const Operator& forward) {
  const bool squares = std::holds_alternative<Pool>(forward) || std::holds_alternative<Upsample>(forward);
  return squares ? Activation::identity : Activation::sigmoid;
}

}  // namespace

template <>
Recurrence from_text<Recurrence>(std::string_view name) {
  return static_cast<Recurrence>(index_of(recurrence_names, name, "recurrence"));
}

Architecture Architecture::parse(std::string_view text) {
  Reader reader(text);
  const std::size_t inputs = reader.number("the number of inputs");
  const ImageShape image = reader.at_size("x") ? read_shape(reader, inputs) : ImageShape();
  std::vector<Layer> layers;
  std::vector<Operator> forward;
  while (!reader.at_removal() && reader.take('-')) {
    const WrittenLayer written =
        read_layer(reader, layers.empty() ? image : layers.back().shape, layers.size() + 1);
    layers.push_back(written.layer), forward.push_back(written.forward);
  }
  if (layers.empty() && !reader.done()) reader.fail("expected '-' and the size of a layer");
  const bool named = reader.take('/');
  const Recurrence recurrence = named ? from_text<Recurrence>(reader.word()) : Recurrence::full;
  Architecture result = image.none() ? Architecture(inputs, std::move(layers), recurrence)
                                     : Architecture(image, std::move(layers), recurrence);
  for (std::size_t l = 1; l <= forward.size(); ++l)
    if (!is_dense(forward[l - 1])) result.set_operator(l - 1, l, forward[l - 1]);
  if (named && reader.take('=')) {
    const Operator op = read_operator(reader);
    for (Block& block : result.blocks_) {
      if (block.forward()) continue;
      block.op = placed(op, result.shape_of(block.from), result.shape_of(block.to), block);
    }
  }
  result.place_blocks();
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

// A layer as read_layer() reads it: given by the operator that leads to it from the layer before, if that
// is_written().
std::string Architecture::layer_text(std::size_t l, const Block* forward) const {
  const Layer& layer = layers_[l - 1];
  std::string text = layer.shape.none() ? std::to_string(layer.size) : with_channels(layer.shape);
  if (const Convolution* c = forward ? std::get_if<Convolution>(&forward->op) : nullptr)
    text = std::to_string(layer.shape.channels) + "k" + c->sizes();
  if (forward && usual_activation(forward->op) == Activation::identity) text = to_text(forward->op);
  const Activation usual = forward ? usual_activation(forward->op) : Activation::sigmoid;
  return layer.activation == usual ? text : text + std::string(name(layer.activation));
}

// A text from which parse() makes this again. Chooses the recurrence and the operator of its blocks that give
// the shortest text.
std::string Architecture::text() const {
  const std::size_t nodes = layers_.size() + 1;
  // By place: calling connected() each time would take time with the cube of the layers.
  std::vector<const Block*> at(nodes * nodes);
  std::vector<std::string> kinds = {""};  // of recurrent blocks
  for (const Block& b : blocks_) {
    at[b.to * nodes + b.from] = &b;
    const std::string kind = b.dense() ? "" : "=" + to_text(b.op);
    constexpr std::size_t most_kinds = 4;  // enough for a short text; a file may have any number of kinds
    if (!b.forward() && kinds.size() < most_kinds &&
        std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
      kinds.push_back(kind);
  }
  std::string sizes = input_shape_.none() ? std::to_string(inputs_) : with_channels(input_shape_);
  for (std::size_t l = 1; l < nodes; ++l) sizes += "-" + layer_text(l, at[l * nodes + l - 1]);
  const auto change = [&](Recurrence recurrence, const std::string& kind, std::size_t from, std::size_t to) {
    const Block* block = at[to * nodes + from];
    const bool expected = in_pattern(recurrence, from, to);
    if (!block && !expected) return std::string();
    const std::string connection = std::to_string(from) + ":" + std::to_string(to);
    if (!block) return "-" + connection;
    const std::string own = block->dense() ? "" : "=" + to_text(block->op);
    const bool written = from + 1 == to && is_written(block->op);  // with its layer
    if (expected && own == (written ? own : from < to ? "" : kind)) return std::string();
    return "+" + connection + (expected && own.empty() ? "=dense" : own);
  };
  std::string best;
  for (std::size_t r = recurrence_names.size(); r-- > 0;)
    for (const std::string& kind : kinds) {
      if (!fits_everywhere(layers_, kind, static_cast<Recurrence>(r))) continue;
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
