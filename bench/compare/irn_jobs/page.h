// The results of a comparison as a page that stands by itself: tables, bars of rates, curves of growth.
// Refuses to compute anything: what it shows stands in the JSON.
#pragma once

#include <string>

namespace irn::bench {

int write_page(const std::string& results, const std::string& page);

}  // namespace irn::bench
