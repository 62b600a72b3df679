// "1 row", "12 rows".
#pragma once

#include <string>
#include <string_view>

namespace irn::app {

inline std::string counted(std::size_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

}  // namespace irn::app
