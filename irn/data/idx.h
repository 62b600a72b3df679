// Tables from IDX files, the format of MNIST: two zero bytes, a type, the number of dimensions, the
// dimensions, the values, all big-endian. The first index counts rows; an image is one row.
#pragma once

#include <string>

#include "irn/data/byte_source.h"
#include "irn/data/frame.h"

namespace irn {

bool is_idx(ByteSource& source);

// An array of one dimension becomes a column called "label"; others become columns called pixel0, pixel1, ...
Frame read_idx(ByteSource& source);

// Images and their labels as one table; the label is the last column.
Frame read_idx(ByteSource& images, ByteSource& labels);

}  // namespace irn
