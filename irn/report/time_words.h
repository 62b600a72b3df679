// When a page was made, and how long something took, in words.
#pragma once

#include <chrono>
#include <string>

namespace irn::report {

// "2024-03-05 14:30", in local time.
std::string date_now();

// "0.42 s", "12 min 05 s", "3 h 07 min".
std::string duration_text(double seconds);

using Clock = std::chrono::steady_clock;
inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace irn::report
