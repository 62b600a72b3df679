// Adjoint equations by a plan of A^T (product_plan.h), for networks of up to `widest` neurons. In stages,
// only the core's equation is solved by a search: u of the layers behind the core follows from the loss, and
// u of the layers before it from both.
#pragma once

#include "irn/engine/cuda/adjoint.h"
#include "irn/engine/cuda/product_plan.h"

namespace irn::cuda {

std::unique_ptr<AdjointWay> adjoint_by_plan(std::size_t neurons,
                                            std::shared_ptr<const ProductPlan> transposed);
std::unique_ptr<AdjointWay> adjoint_in_stages(std::size_t neurons,
                                              std::shared_ptr<const StagedPlans> transposed);

}  // namespace irn::cuda
