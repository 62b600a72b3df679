// JSON as it is printed. JSON must be UTF-8, but names of files need not be: U+FFFD replaces each byte that
// is not UTF-8.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace irn::app {

inline std::string json_text(const nlohmann::ordered_json& json, int indent = -1) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace irn::app
