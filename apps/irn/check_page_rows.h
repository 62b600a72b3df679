// The part of irn check's page about single rows: a table of the most doubtful ones, with links to the
// details of each.
#pragma once

#include "apps/irn/check_story.h"
#include "irn/report/page.h"

namespace irn::app {

report::Badge badge_of(Outcome outcome);
void add_worst(report::Page& page, const CheckStory& story);
void add_rows(report::Page& page, const CheckStory& story);

}  // namespace irn::app
