// The scores of answers as tables and figures of a page, for `irn train` and for cross-validation.
#pragma once

#include "irn/data/encoding.h"
#include "irn/model/assess.h"
#include "irn/report/page.h"

namespace irn::app {

// Whether the metrics over all rows of a classification are shown here, or in a table elsewhere on the page.
enum class Numbers { here, elsewhere };

// Metrics, those of each class or target, and the answers: confusion, ROC and calibration curves, or answers
// against targets.
void add_scores(report::Page& page, const Assessment& assessment, const Encoding& encoding,
                Numbers numbers = Numbers::here);

}  // namespace irn::app
