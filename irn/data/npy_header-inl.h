// The header of an NPY file:
//   \x93NUMPY, version, length, {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
#pragma once

#include "irn/data/array.h"

namespace irn {

// Reads the header and checks it against the size of the source. The source is then behind the header.
ArrayLayout read_npy_header(ByteSource& source);

}  // namespace irn
