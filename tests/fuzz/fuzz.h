// What fuzz targets share: an input as text, an action that may refuse it, a claim that must hold.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "irn/base/error.h"
#include "irn/data/frame.h"

namespace irn::fuzz {

inline std::string_view text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

inline void require(bool claim, const char* what) {
  if (claim) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

// The result, or the message with which it was refused. Anything else that is thrown is a find.
template <class Action>
auto attempt(const Action& action, std::string& refusal) -> std::optional<decltype(action())> {
  try {
    return action();
  } catch (const Error& error) {
    refusal = error.what();
    require(!refusal.empty() && refusal.size() < 100000, "a refusal says why");
    return std::nullopt;
  }
}

// Every value is finite or missing, and every text is in its column's list.
inline void require_sound(const Frame& frame) {
  require(frame.rows() > 0 && frame.width() > 0, "a table has rows and columns");
  for (std::size_t row = 0; row < frame.rows(); ++row)
    for (std::size_t c = 0; const double value : frame.row(row)) {
      require(!std::isinf(value), "values are finite");
      const FrameColumn& column = frame.columns()[c++];
      const bool listed =
          !column.text || std::isnan(value) || static_cast<std::size_t>(value) < column.categories.size();
      require(listed, "texts are listed");
    }
  require(!frame.place(frame.rows() - 1).empty(), "rows have places");
}

}  // namespace irn::fuzz
