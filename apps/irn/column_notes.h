// What to say of the columns of a table before training begins: what they were taken for, and what may be a mistake.
#pragma once

#include <string>
#include <vector>

#include "irn/data/encoding.h"

namespace irn::app {

// Of columns that are text by one slip of the pen, of dates that do not tell day from month, of decimal commas. Neither is refused, for it may be
// meant, but said even to who wants quiet.
std::vector<std::string> doubtful_columns(const Frame& frame, const Encoding& encoding,
                                          const EncodingOptions& options);

// Dates, yes and no, texts that share units: what nobody doubts and everybody wants to know.
std::vector<std::string> columns_taken(const Encoding& encoding);

}  // namespace irn::app
