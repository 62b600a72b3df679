// The columns of a table as a page shows them: what the network takes each for, and what it contains.
#pragma once

#include <cstdint>
#include <span>

#include "irn/data/encoding.h"
#include "irn/report/page.h"

namespace irn::app {

// Over `rows` of the table; only the first columns if there are very many.
report::Table column_summary(const Frame& frame, const Encoding& encoding,
                             std::span<const std::uint64_t> rows);

}  // namespace irn::app
