// Formats of other programs that irn does not read. Each is recognised and refused with a message that says
// what it is, what irn reads and how to convert it. (A message about mistakes in the "text" of such a file
// would mislead.)
#pragma once

#include <string>
#include <string_view>

#include "irn/data/byte_source.h"

namespace irn {

// irn::DataError if the source is one of them. Asks a pipe for hardly more bytes than needed: it may stay
// open and have no more yet.
void refuse_foreign(ByteSource& source);

// "x.arff: an ARFF file, which irn does not read; it reads CSV, ...". `advice` begins with a capital letter.
[[noreturn]] void fail_foreign(const std::string& source, std::string_view what, std::string_view advice);

inline constexpr std::string_view save_the_sheet = "Save the sheet as CSV";

}  // namespace irn
