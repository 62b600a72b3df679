#include "experiments/images/drawn_digits.h"

#include <algorithm>
#include <cmath>

#include "experiments/images/image_source.h"
#include "irn/base/random.h"

namespace irn::experiments {
namespace {

struct Point {
  double x, y;  // from -1 to 1, y downwards
};
using Line = std::vector<Point>;

// The corners of the one line of each digit.
const std::vector<Line>& digit_lines() {
  static const std::vector<Line> all = {
      {{0, -1}, {.6, -.6}, {.6, .6}, {0, 1}, {-.6, .6}, {-.6, -.6}, {0, -1}},
      {{-.3, -.6}, {.1, -1}, {.1, 1}},
      {{-.6, -.6}, {0, -1}, {.6, -.6}, {.4, 0}, {-.6, 1}, {.6, 1}},
      {{-.6, -.8}, {0, -1}, {.6, -.6}, {.1, 0}, {.6, .5}, {0, 1}, {-.6, .8}},
      {{.3, 1}, {.3, -1}, {-.6, .3}, {.7, .3}},
      {{.6, -1}, {-.5, -1}, {-.5, -.1}, {.2, -.2}, {.6, .4}, {.1, 1}, {-.6, .8}},
      {{.4, -1}, {-.4, -.2}, {-.6, .5}, {0, 1}, {.6, .5}, {0, .1}, {-.5, .4}},
      {{-.6, -1}, {.6, -1}, {0, 0}, {-.2, 1}},
      {{0, 0}, {-.5, -.5}, {0, -1}, {.5, -.5}, {0, 0}, {.6, .5}, {0, 1}, {-.6, .5}, {0, 0}},
      {{.5, -.4}, {0, 0}, {-.5, -.5}, {0, -1}, {.5, -.5}, {.5, .2}, {.2, 1}},
  };
  return all;
}

// Random numbers of one image, drawn one after the other.
class Chance {
 public:
  Chance(std::uint64_t seed, std::uint64_t image) : stream_(seed, 1'000 + image) {}
  double between(double low, double high) { return stream_.uniform(next_++, low, high); }

 private:
  Stream stream_;
  std::uint64_t next_ = 0;
};

// The positions of the corners, in pixels.
Line placed(const Line& line, Chance& chance) {
  const double angle = chance.between(-0.3, 0.3), shear = chance.between(-0.35, 0.35);
  const double wide = chance.between(6, 9.5), high = chance.between(7, 10);
  const double x0 = 13.5 + chance.between(-2, 2), y0 = 13.5 + chance.between(-2, 2);
  // cos and sin to third order: the same bits on every machine, and exact enough for a picture.
  const double c = 1 - angle * angle / 2, s = angle - angle * angle * angle / 6;
  Line out;
  for (const Point& p : line) {
    const double x = wide * (p.x + chance.between(-.18, .18) - shear * p.y),
                 y = high * (p.y + chance.between(-.18, .18));
    out.push_back({x0 + c * x - s * y, y0 + s * x + c * y});
  }
  return out;
}

double distance(const Point& p, const Point& a, const Point& b) {
  const double dx = b.x - a.x, dy = b.y - a.y, square = std::max(dx * dx + dy * dy, 1e-9);
  const double t = std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / square, 0.0, 1.0);
  const double ex = a.x + t * dx - p.x, ey = a.y + t * dy - p.y;
  return std::sqrt(ex * ex + ey * ey);
}

void draw(const Line& line, double radius, float* image) {
  for (std::size_t row = 0; row < image_shape.height; ++row)
    for (std::size_t column = 0; column < image_shape.width; ++column) {
      const Point p{double(column), double(row)};
      double nearest = 100;
      for (std::size_t i = 0; i + 1 < line.size(); ++i)
        nearest = std::min(nearest, distance(p, line[i], line[i + 1]));
      *image++ = static_cast<float>(std::clamp(radius + 0.5 - nearest, 0.0, 1.0));
    }
}

}  // namespace

SampleTable<float> drawn_digits(std::uint64_t seed, std::uint64_t first, std::uint64_t count) {
  std::vector<float> x(count * image_shape.size()), y(count * image_classes);
  for (std::uint64_t i = 0; i < count; ++i) {
    Chance chance(seed, first + i);
    const std::size_t digit = (first + i) % image_classes;
    const Line line = placed(digit_lines()[digit], chance);
    draw(line, chance.between(0.6, 1.6), x.data() + i * image_shape.size());
    y[i * image_classes + digit] = 1;
  }
  return SampleTable<float>(image_shape.size(), image_classes, std::move(x), std::move(y));
}

}  // namespace irn::experiments
