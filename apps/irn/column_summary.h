// The columns of a table as a page shows them: what each is to the network, and what stands in it.
#pragma once

#include <cstdint>
#include <span>

#include "irn/data/encoding.h"
#include "irn/report/page.h"

namespace irn::app {

// Over `rows` of the table; of very many columns the first.
report::Table column_summary(const Frame& frame, const Encoding& encoding,
                             std::span<const std::uint64_t> rows);

}  // namespace irn::app
