// What stands before the values of an NPY file:
//   \x93NUMPY, version, length, {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
#pragma once

#include "irn/data/array.h"

namespace irn {

// Reads the header, checks it against the size of the source and leaves the source behind it.
ArrayLayout read_npy_header(ByteSource& source);

}  // namespace irn
