// Long calls in parts, so that Ctrl-C is heard between them: body(first, count) for consecutive ranges of rows, each as long as about a
// tenth of a second takes. An answer does not depend on its batch.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

#include <pybind11/pybind11.h>

namespace irn::python {

// So many rows are not worth a second look at the clock.
inline constexpr std::size_t first_part = 8192;

// With the interpreter's lock: raises what a signal's handler raised.
inline void heed_signals() {
  if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
}

template <class Body>
void in_parts(std::size_t rows, const Body& body) {
  using Clock = std::chrono::steady_clock;
  constexpr double seconds = 0.1;
  for (std::size_t first = 0, size = first_part; first < rows;) {
    const std::size_t count = std::min(size, rows - first);
    const Clock::time_point begin = Clock::now();
    body(first, count);
    const double took = std::chrono::duration<double>(Clock::now() - begin).count();
    size = std::clamp(static_cast<std::size_t>(double(count) * seconds / std::max(took, 1e-6)), first_part,
                      std::max(first_part, 8 * size));
    first += count;
    heed_signals();
  }
}

}  // namespace irn::python
