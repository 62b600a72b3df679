// The message of irn::Error when something is refused.
#pragma once

#include <string>

#include "irn/base/error.h"

namespace irn {

// The message of the irn::Error that `action` throws; empty if it throws none.
template <class Action>
std::string refusal(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace irn
