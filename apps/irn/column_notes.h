// Notes on the columns of a table before training begins: what they were taken for, and what may be a
// mistake.
#pragma once

#include <string>
#include <vector>

#include "irn/data/encoding.h"

namespace irn::app {

// Columns that are text because of a single slip of the pen, dates that do not tell day from month, decimal
// commas, columns from which nothing can be learnt. They are not refused, for they may be intended, but reported even with --quiet.
std::vector<std::string> doubtful_columns(const Frame& frame, const Encoding& encoding,
                                          const EncodingOptions& options, bool images);

// Dates, yes and no, texts that share units: not doubtful, but good to know.
std::vector<std::string> columns_taken(const Encoding& encoding);

}  // namespace irn::app
