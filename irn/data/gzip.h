// The content of a gzip file, unpacked while it is read. A file of several gzip members, as made by `cat` and
// parallel packers, reads as one. A file that is cut short or damaged is refused: gzip has a checksum.
#pragma once

#include <memory>

#include "irn/data/byte_source.h"

namespace irn {

bool is_gzip(ByteSource& source);

// The source must be at its beginning.
std::unique_ptr<ByteSource> unpack_gzip(std::unique_ptr<ByteSource> packed);

}  // namespace irn
