// What TableTrainingOptions mean for a table: where they leave something open its facts decide (irn/train/defaults.h), and what makes no
// sense for it is refused under the option's name. Trains nothing.
#pragma once

#include <optional>
#include <span>

#include "irn/front/table_training.h"

namespace irn {

// The columns as they are encoded; means, deviations and texts are those of `rows`, by default of all.
Encoding encoding_for(const Frame& table, const TableTrainingOptions& options,
                      std::optional<std::span<const std::uint64_t>> rows = {});
// Of the rows, to hold out.
double share_of(const TableTrainingOptions& options, std::size_t rows);
Architecture architecture_of(const TableTrainingOptions& options, const TableFacts& facts);
FitOptions fit_options(const TableTrainingOptions& options, const TableFacts& facts,
                       const Architecture& architecture, std::size_t samples);
// Until the best one is chosen, at the end, 0.5.
double threshold_of(const TableTrainingOptions& options, const Encoding& encoding);

}  // namespace irn
