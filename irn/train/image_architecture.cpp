#include "irn/train/image_architecture.h"

#include <algorithm>
#include <string>

#include "irn/base/error.h"

namespace irn {
namespace {

// "32k5s2" with an activation, unless it has one or is a layer that averages or copies.
std::string with_activation(std::string_view layer, std::string_view activation) {
  if (layer.empty() || layer.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789") != layer.npos)
    throw Error("\"" + std::string(layer) +
                "\" is no layer; write layers like 32k5s2,64k3,pool2, and all else as an architecture");
  const bool ends_in_word = !layer.empty() && layer.back() >= 'a' && layer.back() <= 'z';
  const bool squares = layer.starts_with(Pool::name) || layer.starts_with(Upsample::name);
  return std::string(layer) + (ends_in_word || squares ? "" : std::string(activation));
}

struct Recurring {
  Recurrence pattern = Recurrence::none;
  Operator between_filters = Convolution{};
  bool lateral() const { return pattern == Recurrence::lateral || pattern == Recurrence::full; }
  bool feedback() const { return pattern == Recurrence::feedback || pattern == Recurrence::full; }
};

Recurring read_recurrence(std::string_view text) {
  const std::size_t equals = text.find('=');
  Recurring result{from_text<Recurrence>(text.substr(0, equals))};
  if (equals == text.npos) return result;
  if (!result.lateral())
    throw Error("\"" + std::string(text) +
                "\" has an operator, which is for lateral connections; write lateral" +
                std::string(text.substr(equals)) + ", full" + std::string(text.substr(equals)) + " or " +
                std::string(text.substr(0, equals)));
  result.between_filters = operator_from_text(text.substr(equals + 1));
  return result;
}

const Block* forward_block(const Architecture& a, std::size_t layer) {
  const auto found = std::find_if(a.blocks().begin(), a.blocks().end(),
                                  [&](const Block& b) { return b.to == layer && b.from + 1 == layer; });
  return found == a.blocks().end() ? nullptr : &*found;
}

// 0 if there is none.
std::size_t last_filters(const Architecture& a) {
  std::size_t last = 0;
  for (std::size_t l = 1; l <= a.layers().size(); ++l)
    if (std::holds_alternative<Convolution>(forward_block(a, l)->op)) last = l;
  return last;
}

void connect_back(Architecture& a, std::size_t layer, const Recurring& recurring) {
  const Operator forward = forward_block(a, layer)->op;
  const ImageShape& before = layer > 1 ? a.layers()[layer - 2].shape : a.input_shape();
  const auto* filters = std::get_if<Convolution>(&forward);
  const bool dense = is_dense(forward);
  if (recurring.lateral() && layer == last_filters(a)) a.connect(layer, layer, recurring.between_filters);
  if (recurring.lateral() && dense) a.connect(layer, layer);
  if (!recurring.feedback() || layer == 1) return;
  if (filters) a.connect(layer, layer - 1, TransposedConvolution{*filters});
  if (dense && before.none()) a.connect(layer, layer - 1);
}

}  // namespace

Architecture image_architecture(const ImageShape& image, std::string_view convolutions,
                                std::span<const std::size_t> layers, std::string_view activation,
                                std::size_t outputs, std::string_view recurrence) {
  std::string text = with_channels(image);
  for (std::string_view rest = convolutions == "none" ? "" : convolutions; !rest.empty();) {
    const std::size_t end = std::min(rest.find_first_of("-,"), rest.size());
    text += "-" + with_activation(rest.substr(0, end), activation);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  for (const std::size_t size : layers) text += "-" + std::to_string(size) + std::string(activation);
  text += "-" + std::to_string(outputs) + "identity/none";
  Architecture result = from_text<Architecture>(text);
  const Recurring recurring = read_recurrence(recurrence);
  for (std::size_t l = 1; l < result.layers().size(); ++l) connect_back(result, l, recurring);
  if (recurring.feedback() && result.layers().size() > 1 &&
      result.layers()[result.layers().size() - 2].shape.none())
    result.connect(result.layers().size(), result.layers().size() - 1);
  return result;
}

bool has_convolutions(const Architecture& architecture) {
  return std::ranges::any_of(architecture.blocks(),
                             [](const Block& b) { return convolution_of(b.op) != nullptr; });
}

Architecture given_architecture(std::string_view text, std::size_t inputs, std::size_t outputs,
                                const ImageShape& image) {
  Architecture given = from_text<Architecture>(text);
  if (given.inputs() != inputs || given.outputs() != outputs)
    throw Error(std::string(text) + " has " + std::to_string(given.inputs()) + " inputs and " +
                std::to_string(given.outputs()) + " outputs; the encoded data has " + std::to_string(inputs) +
                " and " + std::to_string(outputs));
  // A network for rows may take images, but not images of another shape: its filters would see scrambled
  // pixels.
  if (const ImageShape& taken = given.input_shape(); !image.none() && !taken.none() && taken != image)
    throw Error(std::string(text) + " takes images of " + to_text(taken) + "; those of the data are " +
                to_text(image));
  return given;
}

}  // namespace irn
