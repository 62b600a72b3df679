// Random text forms of small networks between images: kernels of any shape, even sizes included, strides
// longer than the kernel, any padding and dilation, groups, images of one pixel. Texts that an architecture
// refuses are drawn again.
#pragma once

#include <string>
#include <vector>

#include "irn/base/error.h"
#include "irn/base/random.h"
#include "irn/network/architecture.h"

namespace irn {

class RandomImages {
 public:
  explicit RandomImages(std::uint64_t seed) : stream_(seed, 4321) {}

  // Two layers of images and a dense read-out, with at least one loop.
  std::string network(std::size_t most_neurons) {
    for (;;) {
      const std::string text = attempt();
      try {
        const Architecture made = from_text<Architecture>(text);
        if (made.recurrent() && made.neurons() <= most_neurons) return text;
      } catch (const Error&) {
      }
    }
  }
  // "3x2s2p1d2g2": what follows k, conv and tconv.
  std::string kernel() {
    std::string text = number(1, 4);
    if (one_in(3)) text += "x" + number(1, 4);
    if (one_in(3)) text += "s" + number(2, 4);
    if (one_in(2)) text += "p" + number(0, 3);
    if (one_in(4)) text += "d2";
    if (one_in(3)) text += "g2";
    return text;
  }
  std::string image() { return number(1, 4) + "x" + number(1, 7) + "x" + number(1, 7); }
  std::size_t draw(std::size_t least, std::size_t most) {
    return least + stream_.below(next_++, most - least + 1);
  }

 private:
  bool one_in(std::size_t n) { return draw(1, n) == 1; }
  std::string number(std::size_t least, std::size_t most) { return std::to_string(draw(least, most)); }

  std::string attempt() {
    const std::string second = kernel();
    const bool squares = one_in(4);
    std::string text = image() + "-" + number(1, 6) + "k" + kernel() + (one_in(2) ? "tanh-" : "-");
    text += squares ? (one_in(2) ? "pool2" : "up2") : number(1, 6) + "k" + second;
    text += "-3/none";
    if (one_in(2)) text += "+1:1=conv" + kernel();
    if (one_in(2)) text += "+2:2=conv" + kernel();
    if (one_in(2)) text += squares ? "+2:1=conv" + kernel() : "+2:1=tconv" + second;
    if (one_in(4)) text += "+0:2=conv" + kernel();
    return text;
  }

  Stream stream_;
  std::uint64_t next_ = 0;
};

}  // namespace irn
