#include "irn/data/scaling.h"

#include <algorithm>
#include <cmath>

namespace irn {
namespace {

void scale_alike(std::vector<EncodedColumn>& columns) {
  double count = 0, mean = 0, square = 0;
  for (const EncodedColumn& c : columns) {
    if (!c.is_number()) continue;
    const double deviation = c.scale == 1 ? 0 : c.scale;  // a constant column has the scale 1
    ++count;
    mean += c.mean;
    square += c.mean * c.mean + deviation * deviation;
  }
  mean /= count;
  const double deviation = std::sqrt(std::max(0.0, square / count - mean * mean));
  for (EncodedColumn& c : columns)
    if (c.is_number()) c.mean = mean, c.scale = deviation > 0 ? deviation : 1;
}

}  // namespace

void scale_inputs(Encoding& encoding, Scaling scaling) {
  if (scaling == Scaling::common) scale_alike(encoding.inputs);
  if (scaling == Scaling::none)
    for (EncodedColumn& c : encoding.inputs) {
      c.mean = 0, c.scale = 1;
      for (ScaledPart& part : c.parts) part.mean = 0, part.scale = 1;
    }
}

bool is_images(const Frame& frame) {
  return frame.images() ||
         (frame.width() > 1 && frame.columns()[0].name == "pixel0" && frame.columns()[1].name == "pixel1");
}

bool is_images(const Frame& frame, std::string_view images) {
  return images == "auto" ? is_images(frame) : images != "none";
}

}  // namespace irn
