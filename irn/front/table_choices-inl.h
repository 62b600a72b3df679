// What TableTrainingOptions mean for a table. Options that are left open follow from facts of the table
// (irn/train/defaults.h); an option that makes no sense for the table is refused by name. Trains nothing.
#pragma once

#include <optional>
#include <span>

#include "irn/front/table_training.h"

namespace irn {

// How the columns are encoded. Means, deviations and texts come from `rows`, by default from all rows.
Encoding encoding_for(const Frame& table, const TableTrainingOptions& options,
                      std::optional<std::span<const std::uint64_t>> rows = {});
// The share of the rows to hold out.
double share_of(const TableTrainingOptions& options, std::size_t rows);
Architecture architecture_of(const TableTrainingOptions& options, const TableFacts& facts);
FitOptions fit_options(const TableTrainingOptions& options, const TableFacts& facts,
                       const Architecture& architecture, std::size_t samples);
// 0.5 until the best threshold is chosen at the end.
double threshold_of(const TableTrainingOptions& options, const Encoding& encoding);

}  // namespace irn
