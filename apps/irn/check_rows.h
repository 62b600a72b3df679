// What irn check says of every sample, a line each: CSV, or JSON lines. The CSV has a column for everything that is one number; JSON lines
// have the eigenvalues and the other equilibria, too. What is not known of a sample is empty, or null.
#pragma once

#include <string>

#include "apps/irn/check_story.h"

namespace irn::app {

std::string rows_csv(const CheckStory& story);
std::string rows_json(const CheckStory& story);

}  // namespace irn::app
