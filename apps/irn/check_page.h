// The page of irn check: what was found, with its pictures, in one file.
#pragma once

#include <string>

#include "apps/irn/check_story.h"

namespace irn::app {

std::string check_page(const CheckStory& story);

}  // namespace irn::app
