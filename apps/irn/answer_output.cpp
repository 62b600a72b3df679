#include "apps/irn/answer_output.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <iostream>

#include "apps/irn/command.h"
#include "apps/irn/output_file.h"

namespace irn::app {
namespace {

// The file that a signal must remove: it usually arrives while the program waits for rows.
const char* volatile unfinished = nullptr;
// A signal waits while the file may exist and its name is not yet known.
std::atomic<bool> opening{false}, stopped{false};

void remove_and_end(int) {
  if (opening) {
    stopped = true;
    return;
  }
  if (unfinished) ::unlink(unfinished);
  constexpr std::string_view words = "irn: interrupted\n";
  (void)!::write(STDERR_FILENO, words.data(), words.size());
  ::_exit(interrupted);
}

bool is_special(const std::string& file) {
  std::error_code error;
  return std::filesystem::exists(file, error) && !std::filesystem::is_regular_file(file, error);
}

}  // namespace

AnswerOutput::AnswerOutput(const std::string& file, const std::vector<std::string>& read, bool overwrite) {
  if (file.empty() || file == "-") return;
  check_output_file("--out", file, read, overwrite);
  if (is_special(file)) {  // a pipe, say: opening it may take as long as it likes
    file_.emplace(file);
    return;
  }
  opening = true;
  std::signal(SIGINT, remove_and_end);
  std::signal(SIGTERM, remove_and_end);
  on_hangup(remove_and_end);
  try {
    file_.emplace(file);
  } catch (...) {
    opening = false;
    throw;
  }
  unfinished = file_->temporary().c_str();
  opening = false;
  if (stopped) remove_and_end(SIGTERM);
}

AnswerOutput::~AnswerOutput() { unfinished = nullptr; }

void AnswerOutput::write(std::string_view text) {
  if (file_) return file_->write(text);
  std::cout << text << std::flush;
  if (!std::cout) throw FileError("cannot write to standard output");
}

void AnswerOutput::keep() {
  if (!file_) return;
  file_->keep();
  unfinished = nullptr;
}

}  // namespace irn::app
