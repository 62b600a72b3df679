// `irn train` from within another command, with its folder and files: begun, or continued where it was interrupted.
#pragma once

#include <filesystem>
#include <string>

namespace irn::app {

struct TrainAgain {
  std::string base, changes;  // settings as TOML; the second wins
  std::filesystem::path folder;
  std::string directory;  // that relative names of files are meant from
  std::size_t threads = 0;
};

// The exit code of the training; says nothing on standard output. A training that is done is left as it is.
int train_again(const TrainAgain& wanted);

}  // namespace irn::app
