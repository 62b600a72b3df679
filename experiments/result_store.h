// The results of jobs on disk: OUT/protocol.json holds the settings, OUT/results/KEY.json one job's result
// and the seconds it took. Files are written whole or not at all.
#pragma once

#include <filesystem>

#include "experiments/part.h"

namespace irn::experiments {

class ResultStore {
 public:
  // Opens or begins a folder. Throws irn::Error, touching nothing, if it holds other settings or anything
  // else.
  ResultStore(std::filesystem::path folder, const Json& settings);

  const std::filesystem::path& folder() const { return folder_; }
  bool has(const std::string& key) const;
  // Results are read back with their keys in the order in which they were kept.
  void keep(const std::string& key, const nlohmann::ordered_json& result, double seconds);
  struct Stored {
    nlohmann::ordered_json result;
    double seconds = 0;
  };
  Stored read(const std::string& key) const;
  // Throws irn::Error: what was read under `key` was not written by keep(). The caller decides that.
  [[noreturn]] void refuse(const std::string& key) const;

 private:
  std::filesystem::path file(const std::string& key) const { return folder_ / "results" / (key + ".json"); }
  std::filesystem::path folder_;
};

}  // namespace irn::experiments
