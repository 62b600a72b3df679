// The members of a zip archive, stored or deflated, also beyond 4 GB: what NumPy's .npz files are made of.
// Believes the directory at the end of the archive and checks it against the size of the file and, once a member is
// read to its end, against its length and checksum. Refuses encryption and other packings by name.
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

// Read forwards only. The archive must outlive it; members may be read one after another or in turns.
std::unique_ptr<ByteSource> open_member(ByteSource& archive, const ZipMember& member);

}  // namespace irn
