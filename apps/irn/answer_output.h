// Where answers go: to standard output as they are found, or into a file that appears whole or not at all.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "irn/base/new_file.h"

namespace irn::app {

class AnswerOutput {
 public:
  // Standard output if `file` is empty or "-". Refuses a file that must not be written over (output_file.h).
  AnswerOutput(const std::string& file, const std::vector<std::string>& read, bool overwrite);
  ~AnswerOutput();
  AnswerOutput(const AnswerOutput&) = delete;
  AnswerOutput& operator=(const AnswerOutput&) = delete;

  void write(std::string_view text);
  // Everything is written: gives the file its name.
  void keep();

 private:
  std::optional<NewFile> file_;
};

}  // namespace irn::app
