#include "experiments/images/disturbances.h"

#include <algorithm>
#include <cmath>

#include "experiments/images/image_source.h"
#include "irn/base/random.h"

namespace irn::experiments {
namespace {

constexpr std::size_t side = image_shape.width, pixels = side * side;
// Separate streams: rows, starts and orders have lower numbers.
constexpr std::uint64_t first_stream = std::uint64_t{1} << 40;

// Normal noise with this deviation, clipped to the range of grey values.
void add_noise(double deviation, std::uint64_t seed, std::uint64_t i, const float* image, float* out) {
  const Stream stream(seed, first_stream + i);
  for (std::size_t k = 0; k < pixels; ++k)
    out[k] = static_cast<float>(std::clamp(double(image[k]) + deviation * stream.normal(k), 0.0, 1.0));
}

// A grey square with sides of `length` pixels, somewhere in the middle 20 x 20, where digits are.
void hide(double length, std::uint64_t seed, std::uint64_t i, const float* image, float* out) {
  const Stream stream(seed, 2 * first_stream + i);
  const auto edge = static_cast<std::size_t>(length);
  const std::size_t room = 20 - edge + 1, top = 4 + stream.below(0, room), left = 4 + stream.below(1, room);
  std::copy_n(image, pixels, out);
  for (std::size_t row = top; row < top + edge; ++row) std::fill_n(out + row * side + left, edge, 0.5f);
}

// By `length` pixels in one of the eight directions of a compass.
void shift(double length, std::uint64_t seed, std::uint64_t i, const float* image, float* out) {
  constexpr int directions[8][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};
  const auto& [dx, dy] = directions[Stream(seed, 3 * first_stream + i).below(0, 8)];
  const int by = static_cast<int>(length), last = static_cast<int>(side);
  for (int row = 0; row < last; ++row)
    for (int column = 0; column < last; ++column) {
      const int r = row - dy * by, c = column - dx * by;
      const bool inside = r >= 0 && r < last && c >= 0 && c < last;
      *out++ = inside ? image[r * last + c] : 0.0f;
    }
}

}  // namespace

const std::vector<Disturbance>& disturbances() {
  static const std::vector<Disturbance> all = {
      {"noise-2", "noise", "noise, deviation 0.2", 0.2, add_noise},
      {"noise-4", "noise", "noise, deviation 0.4", 0.4, add_noise},
      {"occlusion-6", "occlusion", "a square of 6 x 6 hidden", 6, hide},
      {"occlusion-10", "occlusion", "a square of 10 x 10 hidden", 10, hide},
      {"shift-2", "shifts", "shifted by 2 pixels", 2, shift},
      {"shift-4", "shifts", "shifted by 4 pixels", 4, shift},
  };
  return all;
}

SampleTable<float> Disturbance::of(const SampleTable<float>& rows, std::uint64_t seed) const {
  std::vector<float> x(rows.size() * pixels), y;
  y.reserve(rows.size() * image_classes);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    apply(strength, seed, i, rows.input_row(i).data(), x.data() + i * pixels);
    y.insert(y.end(), rows.target_row(i).begin(), rows.target_row(i).end());
  }
  return SampleTable<float>(pixels, image_classes, std::move(x), std::move(y));
}

}  // namespace irn::experiments
