// `irn train` from within another command, with its folder and files: begun, or continued where it was
// interrupted.
#pragma once

#include <filesystem>
#include <string>

namespace irn::app {

struct TrainAgain {
  std::string base, changes;  // settings as TOML; the second wins
  std::filesystem::path folder;
  std::string directory;  // relative names of files start here
  std::size_t threads = 0;
};

// Returns the exit code of the training. Prints nothing on standard output. A finished training is left
// alone.
int train_again(const TrainAgain& wanted);

}  // namespace irn::app
