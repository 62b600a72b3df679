// What answers are worth, as tables and figures of a page: of `irn train` and of cross-validation.
#pragma once

#include "irn/data/encoding.h"
#include "irn/model/assess.h"
#include "irn/report/page.h"

namespace irn::app {

// Whether the numbers of all rows of a classification stand here, or in a table of the page's own.
enum class Numbers { here, elsewhere };

// Metrics, those of each class or target, and the answers themselves: confusion, ROC and calibration curves, or answers against targets.
void add_scores(report::Page& page, const Assessment& assessment, const Encoding& encoding,
                Numbers numbers = Numbers::here);

}  // namespace irn::app
