// The results of a comparison as a self-contained page: tables, bars of rates, curves of growth. Computes
// nothing: all numbers are in the JSON.
#pragma once

#include <string>

namespace irn::bench {

int write_page(const std::string& results, const std::string& page);

}  // namespace irn::bench
