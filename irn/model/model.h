// A trained network and everything needed to use it on other data: one safetensors file (docs/model-file.md).
//   tensors    "layer1.input" [rows, cols], "layer1.layer2", ..., "layer1.bias" [rows]: F32 or F64 throughout
//   metadata   "irn.version", "irn.network", "irn.encoding", "irn.solver", "irn.tolerance", "irn.configuration",
//              "irn.seed", "irn.metrics", "irn.loss", "irn.augmentation", "irn.certificate", "irn.program", "irn.crc32"
// The first three and all tensors of the network are needed; the others may be left out. Metadata of others is ignored,
// an unknown "irn." entry or tensor is refused: it is a misspelling, damage, or something this program would drop.
//
// What is read is consistent: sizes fit each other, parameters are finite, the solver's options make sense. What could
// not be read back is not written. A file of a newer version is refused, never guessed at.
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
  // The loss it was trained with; none: that of its task. A CustomLoss has no place in a file.
  std::optional<Loss> loss = {};
  // Of the images it was trained on; views of other images differ in the same way.
  Augmentation augmentation = {};
};

// Throws irn::Error unless the encoding's columns are the network's inputs and its targets have outputs.
void check_fits(const Encoding& encoding, const Architecture& architecture);

using AnyModel = std::variant<ModelOf<float>, ModelOf<double>>;

// The version of the format that is written, and the newest that is read.
inline constexpr int model_version = 1;

// irn::Error for a model that contradicts itself.
template <class T>
std::string to_bytes(const ModelOf<T>& model);
// irn::DataError; `source` is what messages call the file.
AnyModel model_from_bytes(std::string_view bytes, std::string_view source);

template <class T>
void write_model(const std::filesystem::path& path, const ModelOf<T>& model);  // whole or not at all
AnyModel read_model(const std::filesystem::path& path);

// The encoding of a network that takes numbers as they are, neither scaled nor shifted. Its columns are x0,
// x1, ... and y0, y1, ..., the names that columns of NPY files and of the arrays x and y of an NPZ archive
// have.
Encoding plain_encoding(std::size_t inputs, std::size_t targets);

}  // namespace irn
