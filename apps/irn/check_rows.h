// What irn check says of every sample, one line for each: CSV, or JSON lines. The CSV has a column for
// everything that is one number; JSON lines also have the eigenvalues and the other equilibria. Unknown
// values are empty, or null.
#pragma once

#include <string>

#include "apps/irn/check_story.h"

namespace irn::app {

std::string rows_csv(const CheckStory& story);
std::string rows_json(const CheckStory& story);

}  // namespace irn::app
