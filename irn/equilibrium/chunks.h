// How a batch is divided among threads: into consecutive chunks of samples, each solved from start to finish
// by one thread.
#pragma once

#include <cstddef>
#include <vector>

#include "irn/equilibrium/chunk_solver.h"

namespace irn {

// How many parts of size `part` are needed for `whole`.
constexpr std::size_t divide_up(std::size_t whole, std::size_t part) {
  return whole / part + (whole % part != 0);
}

// Cuts samples 0 .. count - 1 into chunks; `ends` receives the end of each, in ascending order. All chunks
// but the last are whole grains of samples.
//
// If one chunk for each thread is enough, all have the same size. Otherwise the first are as large as the
// shape allows, which keeps lanes filled, and later ones are smaller, so that no thread waits long for the
// last one. A chunk exceeds the shape's capacity only if a single grain does.
void cut_into_chunks(std::size_t count, std::size_t threads, std::size_t grain, ChunkShape shape,
                     std::vector<std::size_t>& ends);

}  // namespace irn
