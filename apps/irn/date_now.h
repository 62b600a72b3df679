// When a page was made.
#pragma once

#include <ctime>
#include <string>

namespace irn::app {

// "2024-03-05 14:30", where the machine is.
inline std::string date_now() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &local)};
}

}  // namespace irn::app
