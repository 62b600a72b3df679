// The summary of irn check: on the screen, and as JSON.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "apps/irn/check_story.h"

namespace irn::app {

std::string summary_text(const CheckStory& story);
nlohmann::ordered_json summary_json(const CheckStory& story);

// "holds: one equilibrium ..." or "does not hold: ...", for the screen and the page alike.
std::string certificate_verdict(const Certificate& certificate);
// "fold", "Hopf point", "crossing"
std::string turning_text(Turning turning);
// "0.9719", "infinite"
std::string number_text(double value);
// A value of the varied number, with this many digits; a date is written as a date.
std::string varied_text(const VaryStory& vary, double value, int digits);
// What became of a flow that was followed: "settled after 12.3", "cycles, period 4.2, amplitude 0.7".
std::string path_text(const SettlingPath& path);

}  // namespace irn::app
