// The options of irn check.
#pragma once

#include "apps/irn/model_use.h"

namespace irn::app {

struct CheckSettings {
  ModelUseSettings use;  // without a table, the network alone is checked
  std::size_t closer = 8, gradient_rows = 100;
  Words rows;
  std::string vary, range, out, html;
  bool gradient = false, overwrite = false, json = false, quiet = false;
};

}  // namespace irn::app
