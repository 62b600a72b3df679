// Figures of a training's insight (train_insight.h).
#pragma once

#include "apps/irn/train_insight.h"
#include "irn/report/figure.h"

namespace irn::app {

report::Figure settling_figure(const TrainInsight& insight);
report::Figure importance_figure(const TrainInsight& insight);

}  // namespace irn::app
