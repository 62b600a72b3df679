// The members of a zip archive, stored or deflated, also beyond 4 GB. NumPy's .npz files are such archives.
// The directory at the end of the archive is checked against the size of the file and, once a member is read
// to its end, against the member's length and checksum. Encryption and other compression methods are refused
// by name.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "irn/data/byte_source.h"

namespace irn {

struct ZipMember {
  std::string name;
  unsigned method = 0;  // 0 stored, 8 deflated
  std::uint32_t checksum = 0;
  std::uint64_t packed_size = 0, size = 0;
  std::uint64_t header = 0;  // where in the archive
};

std::vector<ZipMember> list_zip(ByteSource& archive);

// The source reads forwards only. The archive must outlive it; members may be read one after another or in
// turns.
std::unique_ptr<ByteSource> open_member(ByteSource& archive, const ZipMember& member);

}  // namespace irn
