#include "apps/irn/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

namespace irn::app {
namespace {

std::string styled(std::string_view text, std::string_view code) {
  const char* plain = std::getenv("NO_COLOR");
  if (!on_terminal() || (plain && *plain)) return std::string(text);
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

}  // namespace

bool on_terminal() { return isatty(STDERR_FILENO) != 0; }
std::size_t terminal_width() {
  struct winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}
std::string cut_to_terminal(std::string line) {
  if (line.size() >= terminal_width()) line.resize(terminal_width() - 1);
  return line;
}
std::string bold(std::string_view text) { return styled(text, "1"); }
std::string faint(std::string_view text) { return styled(text, "2"); }

std::string clock_text(double seconds) {
  const long s = std::lround(seconds);
  return s < 3600 ? fmt::format("{}:{:02}", s / 60, s % 60)
                  : fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

}  // namespace irn::app
