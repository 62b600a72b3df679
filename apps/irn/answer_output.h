// Where answers go: to standard output as they come, or into a file that is there whole or not at all.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "irn/base/new_file.h"

namespace irn::app {

class AnswerOutput {
 public:
  // Standard output if `file` is empty or "-". What stands in its way is refused (output_file.h).
  AnswerOutput(const std::string& file, const std::vector<std::string>& read, bool overwrite);
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
