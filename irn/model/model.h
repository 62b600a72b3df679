// A trained network and everything needed to use it on other data: one safetensors file (docs/model-file.md).
//   tensors    "layer1.input" [rows, cols], "layer1.layer2", ..., "layer1.bias" [rows]: F32 or F64 throughout
//   metadata   "irn.version", "irn.network", "irn.encoding", "irn.solver", "irn.tolerance",
//              "irn.configuration", "irn.seed", "irn.metrics", "irn.loss", "irn.augmentation",
//              "irn.certificate", "irn.program", "irn.crc32"
// The first three entries and all tensors of the network are required; the others are optional. Foreign
// metadata is ignored. An unknown "irn." entry or an unknown tensor is refused: it is a misspelling, damage,
// or something this program would drop.
//
// A model that is read is consistent: sizes fit each other, parameters are finite, and the solver's options
// make sense. A model that could not be read back is not written. A file of a newer version is refused, never
// guessed at.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "irn/data/encoding.h"
#include "irn/engine/settler.h"
#include "irn/network/network.h"
#include "irn/train/augmentation.h"
#include "irn/train/loss.h"

namespace irn {

template <class T>
struct ModelOf {
  NetworkOf<T> network;
  Encoding encoding;               // from columns to inputs, from outputs to answers
  SettleOptions settle = {};       // solver and tolerance it was trained with
  std::string configuration = {};  // of the run that made it, as TOML
  std::uint64_t seed = 0;          // of that run
  // What that run reached. A number that is not finite is stored as null and read as NaN.
  std::map<std::string, double> metrics = {};
  // The loss it was trained with; none: that of its task. A CustomLoss cannot be stored.
  std::optional<Loss> loss = {};
  // How its training images were changed; views of other images are changed in the same way.
  Augmentation augmentation = {};
};

// Throws irn::Error unless the encoding's columns are the network's inputs and its targets have outputs.
void check_fits(const Encoding& encoding, const Architecture& architecture);

using AnyModel = std::variant<ModelOf<float>, ModelOf<double>>;

// The version of the format that is written, and the newest that is read.
inline constexpr int model_version = 1;

// Throws irn::Error for a model that contradicts itself.
template <class T>
std::string to_bytes(const ModelOf<T>& model);
// Throws irn::DataError; `source` is the name of the file in messages.
AnyModel model_from_bytes(std::string_view bytes, std::string_view source);

template <class T>
void write_model(const std::filesystem::path& path, const ModelOf<T>& model);  // whole or not at all
AnyModel read_model(const std::filesystem::path& path);

// The encoding of a network that takes numbers unchanged, neither scaled nor shifted. Its columns are x0, x1,
// ... and y0, y1, ..., which are also the names of the columns of NPY files and of the arrays x and y of an
// NPZ archive.
Encoding plain_encoding(std::size_t inputs, std::size_t targets);

}  // namespace irn
