// The settings in which results differ from those requested, in words: "batch was 'auto', now 16; seed was 0,
// now 1".
//   {"folds": 3}                                a number, a text or a switch
//   {"settings": "# Training\nbatch = 16\n"}     TOML: each setting by its own name
//   {"space": ["rate = 0.1\n", "rate = 0.2\n"]}  what was tried, by the same names. It follows from the
//                                               rest, so its differences are listed only if no others
//                                               are, or only the number of "trials" and the shared
//                                               trials are not the same
//   {"data": "c9593894192ced76"}                only that the data has changed
#pragma once

#include <string>

#include "experiments/protocol.h"

namespace irn::experiments {

// Empty if everything wanted was the same.
std::string settings_difference(const Json& stored, const Json& wanted);

}  // namespace irn::experiments
