// A plan's tiles (product_plan.h), for the host and for the part for CUDA, which uses nothing else of the
// library for it.
#pragma once

#include <algorithm>
#include <functional>
#include <tuple>

#include "irn/engine/cuda/product_plan.h"

namespace irn::cuda {

// All tiles of a plan for `samples` samples, sorted by pass, the longest of a pass first; `ends` receives the
// end of each pass.
inline std::vector<PlanTile> tiles_of(const ProductPlan& plan, std::size_t samples,
                                      std::vector<unsigned>& ends) {
  struct Long {
    PlanTile tile;
    unsigned pass;
    std::size_t length;
  };
  std::vector<Long> all;
  unsigned passes = 0;
  for (unsigned p = 0; p < plan.parts.size(); ++p) {
    const PlanPart& part = plan.parts[p];
    passes = std::max(passes, plan.pass[p] + 1);
    std::size_t depth = 0;
    for (unsigned k = 0; k < part.shared; ++k)
      depth += std::size_t{plan.sources[part.first + k].channels} * plan.sources[part.first + k].taps;
    const unsigned columns = static_cast<unsigned>(samples * part.places);
    for (unsigned group = 0; group < part.channels; group += part.group)
      for (unsigned row = 0; row < part.group; row += ProductPlan::tile_rows) {
        const unsigned rows = std::min(ProductPlan::tile_rows, part.group - row);
        for (unsigned column = 0; column < columns; column += ProductPlan::tile_columns)
          all.push_back({{p, group + row, rows, column},
                         plan.pass[p],
                         depth * (rows > ProductPlan::tile_rows / 2 ? 2 : 1)});
      }
  }
  const auto place = [](const Long& one) {
    return std::tuple(one.pass, ~one.length, one.tile.part, one.tile.row, one.tile.column);
  };
  std::ranges::sort(all, std::less{}, place);
  std::vector<PlanTile> tiles;
  ends.assign(passes, 0);
  for (const Long& one : all) tiles.push_back(one.tile), ++ends[one.pass];
  for (unsigned p = 1; p < passes; ++p) ends[p] += ends[p - 1];
  return tiles;
}

}  // namespace irn::cuda
