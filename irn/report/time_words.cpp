#include "irn/report/time_words.h"

#include <cmath>
#include <ctime>

#include <fmt/format.h>

namespace irn::report {

std::string date_now() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &local)};
}

std::string duration_text(double seconds) {
  const long s = std::lround(seconds), minutes = std::lround(seconds / 60);
  if (s < 100) return fmt::format("{:.2g} s", seconds);
  if (s < 3600) return fmt::format("{} min {:02} s", s / 60, s % 60);
  return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
}

}  // namespace irn::report
