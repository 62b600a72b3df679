// In which settings results differ from those that are asked for, in words: "batch was 'auto', now 16; seed was 0, now 1".
//   {"folds": 3}                                    a number, a text or a switch
//   {"settings": "# Training\nbatch = 16\n"}         TOML: each setting by its own name
//   {"space": ["rate = 0.1\n", "rate = 0.2\n"]}      what was tried, by the same names. It follows from the rest: it is told where nothing else differs
//                                                   but the number of "trials", and they are no longer the same ones
//   {"data": "c9593894192ced76"}                    that the data has changed, and no more
#pragma once

#include <string>

#include "experiments/protocol.h"

namespace irn::experiments {

// Empty if all that is wanted was so.
std::string settings_difference(const Json& stored, const Json& wanted);

}  // namespace irn::experiments
