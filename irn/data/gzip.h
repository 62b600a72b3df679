// The content of a gzip file, unpacked as it is read. Several gzip files in one, as `cat` and parallel packers make
// them, read as one. A file that is cut short or damaged is refused: gzip carries a checksum.
#pragma once

#include <memory>

#include "irn/data/byte_source.h"

namespace irn {

bool is_gzip(ByteSource& source);

// Takes the source over; it must stand at its beginning.
std::unique_ptr<ByteSource> unpack_gzip(std::unique_ptr<ByteSource> packed);

}  // namespace irn
