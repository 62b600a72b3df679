// Tables from NumPy's files. NPY versions 1 to 3: integers, booleans and floats of 2, 4 and 8 bytes, either byte order;
// one dimension is a column, two are a table, more are flattened to one row for each first index (of images, channels first). NPZ: archives of such
// arrays, whose columns stand side by side.
#pragma once

#include <span>
#include <string>

#include "irn/data/byte_source.h"
#include "irn/data/frame.h"

namespace irn {

// `exact` names columns whose numbers are classes: one of 2^53 or more is refused there, for a double may not hold it.
// The columns are called x0, x1, ...; the only one is called x.
Frame read_npy(ByteSource& source, std::span<const std::string> exact = {});

// `members` names the arrays to read, without ".npy"; "x=X_train" reads X_train and calls it x. If it is empty: x and y, in either case of letters, if the archive
// has an x; all members if they have the same number of rows; else irn::DataError with their names. Columns are called
// by the member and, if it has several, a number.
Frame read_npz(ByteSource& source, std::span<const std::string> members = {},
               std::span<const std::string> exact = {});

}  // namespace irn
