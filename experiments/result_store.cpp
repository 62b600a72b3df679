#include "experiments/result_store.h"

#include "experiments/settings_difference.h"
#include "irn/base/error.h"
#include "irn/base/new_file.h"

namespace irn::experiments {
namespace {

namespace fs = std::filesystem;

void make_folder(const fs::path& folder) {
  std::error_code code;
  fs::create_directories(folder, code);
  if (code) throw FileError("cannot make folder '" + folder.string() + "': " + code.message());
}

using OrderedJson = nlohmann::ordered_json;

[[noreturn]] void refuse_damaged(const fs::path& file) {
  throw Error("'" + file.string() + "' is damaged; remove it and it will be computed again");
}

OrderedJson parsed(const fs::path& file) {
  OrderedJson json = OrderedJson::parse(read_file(file), nullptr, false);
  if (json.is_discarded()) refuse_damaged(file);
  return json;
}

void check_same_settings(const fs::path& folder, const Json& wanted) {
  const Json stored(parsed(folder / "protocol.json"));  // the order does not matter
  if (const std::string difference = settings_difference(stored, wanted); !difference.empty())
    throw Error("'" + folder.string() + "' holds results of other settings: " + difference +
                "; take another folder with --out, or what it was made with");
}

}  // namespace

ResultStore::ResultStore(fs::path folder, const Json& settings) : folder_(std::move(folder)) {
  if (fs::exists(folder_) && !fs::is_directory(folder_))
    throw Error("'" + folder_.string() + "' is a file; give a folder with --out");
  if (fs::exists(folder_ / "protocol.json")) {
    check_same_settings(folder_, settings);
  } else {
    if (fs::exists(folder_) && !holds_nothing(folder_))
      throw Error("'" + folder_.string() + "' holds something else; give an empty or new folder with --out");
    make_folder(folder_);
    write_file_atomically(folder_ / "protocol.json", settings.dump(2) + "\n");
  }
  make_folder(folder_ / "results");
}

bool ResultStore::has(const std::string& key) const { return fs::exists(file(key)); }

void ResultStore::keep(const std::string& key, const OrderedJson& result, double seconds) {
  write_file_atomically(file(key), OrderedJson{{"seconds", seconds}, {"result", result}}.dump() + "\n");
}

ResultStore::Stored ResultStore::read(const std::string& key) const {
  OrderedJson json = parsed(file(key));
  if (!json.is_object() || !json.contains("result") || !json.contains("seconds") ||
      !json["seconds"].is_number())
    refuse(key);
  return {std::move(json["result"]), json["seconds"].get<double>()};
}

void ResultStore::refuse(const std::string& key) const { refuse_damaged(file(key)); }

}  // namespace irn::experiments
