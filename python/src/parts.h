// Long calls in parts, so that Ctrl-C takes effect between them: body(first, count) for consecutive ranges of
// rows, each of about a tenth of a second and at most `most` rows. An answer does not depend on its batch.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

#include <pybind11/pybind11.h>

namespace irn::python {

// So few rows need no second look at the clock.
inline constexpr std::size_t first_part = 8192;

// Needs the interpreter's lock. Raises what the handler of a signal raised.
inline void heed_signals() {
  if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
}

template <class Body>
void in_parts(std::size_t rows, std::size_t most, const Body& body) {
  using Clock = std::chrono::steady_clock;
  constexpr double seconds = 0.1;
  for (std::size_t first = 0, size = std::min(first_part, most); first < rows;) {
    const std::size_t count = std::min(size, rows - first);
    const Clock::time_point begin = Clock::now();
    body(first, count);
    const double took = std::chrono::duration<double>(Clock::now() - begin).count();
    const double fitting = double(count) * seconds / std::max(took, 1e-6);
    size = std::min({std::max(first_part, static_cast<std::size_t>(fitting)), 8 * size, most});
    first += count;
    heed_signals();
  }
}

}  // namespace irn::python
