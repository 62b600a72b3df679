// Tables from NumPy's files.
//   NPY   versions 1 to 3, with integers, booleans and floats of 2, 4 and 8 bytes in either byte order. One
//         dimension is a column, two are a table, more are flattened to one row for each first index (images
//         with channels first).
//   NPZ   archives of such arrays, whose columns are put side by side.
#pragma once

#include <span>
#include <string>

#include "irn/data/byte_source.h"
#include "irn/data/frame.h"

namespace irn {

// `exact` names columns whose numbers are classes: there, numbers of 2^53 or more are refused, because a
// double may not hold them. Columns are called x0, x1, ...; a single one is called x.
Frame read_npy(ByteSource& source, std::span<const std::string> exact = {});

// `members` names the arrays to read, without ".npy"; "x=X_train" reads X_train and calls it x. If it is
// empty, x and y are read, in either case of letters, if the archive has an x; otherwise all members.
// irn::DataError, with their names, if they differ in their number of rows. Columns have the name of their
// member, followed by a number if it has several.
Frame read_npz(ByteSource& source, std::span<const std::string> members = {},
               std::span<const std::string> exact = {});

}  // namespace irn
