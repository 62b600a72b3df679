// The results of jobs on disk: OUT/protocol.json says with which settings, OUT/results/KEY.json holds one job's result
// and the seconds it took. Files are written whole or not at all.
#pragma once

#include <filesystem>

#include "experiments/part.h"

namespace irn::experiments {

class ResultStore {
 public:
  // Opens or begins a folder. Throws irn::Error, touching nothing, if it holds something else or other settings.
  ResultStore(std::filesystem::path folder, const Json& settings);

  const std::filesystem::path& folder() const { return folder_; }
  bool has(const std::string& key) const;
  // Results come back with their keys in the order they were kept in.
  void keep(const std::string& key, const nlohmann::ordered_json& result, double seconds);
  struct Stored {
    nlohmann::ordered_json result;
    double seconds = 0;
  };
  Stored read(const std::string& key) const;
  // That what was read is nothing that was kept, if the caller finds so.
  [[noreturn]] void refuse(const std::string& key) const;

 private:
  std::filesystem::path file(const std::string& key) const { return folder_ / "results" / (key + ".json"); }
  std::filesystem::path folder_;
};

}  // namespace irn::experiments
