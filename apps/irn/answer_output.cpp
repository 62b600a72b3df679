#include "apps/irn/answer_output.h"

#include <unistd.h>

#include <csignal>
#include <iostream>

#include "apps/irn/command.h"

namespace irn::app {
namespace {

// What a signal must remove: it finds the program waiting for rows, where nothing else could.
const char* volatile unfinished = nullptr;

void remove_and_end(int) {
  if (unfinished) ::unlink(unfinished);
  constexpr std::string_view words = "irn: interrupted\n";
  (void)!::write(STDERR_FILENO, words.data(), words.size());
  ::_exit(interrupted);
}

void check_free(const std::string& file, bool overwrite) {
  std::error_code error;
  if (!overwrite && std::filesystem::is_regular_file(file, error))
    throw Error("'" + file +
                "' is there already: replace it with --overwrite, or name another file with --out");
}

}  // namespace

AnswerOutput::AnswerOutput(const std::string& file, bool overwrite) {
  if (file.empty() || file == "-") return;
  check_free(file, overwrite);
  file_.emplace(file);
  if (file_->temporary().empty()) return;
  unfinished = file_->temporary().c_str();
  std::signal(SIGINT, remove_and_end);
  std::signal(SIGTERM, remove_and_end);
}

AnswerOutput::~AnswerOutput() { unfinished = nullptr; }

void AnswerOutput::write(std::string_view text) {
  if (file_) return file_->write(text);
  std::cout << text << std::flush;
  if (!std::cout) throw FileError("cannot write to standard output");
}

void AnswerOutput::keep() {
  if (!file_) return;
  unfinished = nullptr;
  file_->keep();
}

}  // namespace irn::app
