// What is said to people on standard error: whether it is a terminal, whether it takes colour, times in words.
#pragma once

#include <string>
#include <string_view>

namespace irn::app {

bool on_terminal();
// The text in bold or faint, on a terminal and unless NO_COLOR is set.
std::string bold(std::string_view text);
std::string faint(std::string_view text);
// "0:07", "1:02:03"
std::string clock_text(double seconds);
// Letters in a line of the terminal; 80 if it does not tell.
std::size_t terminal_width();
// The line, cut to what a terminal shows without breaking it: a broken one could not be rewritten.
std::string cut_to_terminal(std::string line);
// Back to the start of the line, and the line emptied.
inline constexpr std::string_view rewrite_line = "\r\033[K";

}  // namespace irn::app
