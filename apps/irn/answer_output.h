// Where answers go: to standard output as they come, or into a file that is there whole or not at all.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "irn/base/new_file.h"

namespace irn::app {

class AnswerOutput {
 public:
  // Standard output if `file` is empty or "-". irn::Error if the file is there already, unless it may be replaced.
  AnswerOutput(const std::string& file, bool overwrite);
  ~AnswerOutput();
  AnswerOutput(const AnswerOutput&) = delete;
  AnswerOutput& operator=(const AnswerOutput&) = delete;

  void write(std::string_view text);
  // All is written: the file takes its name.
  void keep();

 private:
  std::optional<NewFile> file_;
};

}  // namespace irn::app
