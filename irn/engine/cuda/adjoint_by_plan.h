// Adjoint equations by a plan of A^T (product_plan.h), for networks of up to `widest` neurons.
#pragma once

#include "irn/engine/cuda/adjoint.h"
#include "irn/engine/cuda/product_plan.h"

namespace irn::cuda {

std::unique_ptr<AdjointWay> adjoint_by_plan(std::size_t neurons,
                                            std::shared_ptr<const ProductPlan> transposed);

}  // namespace irn::cuda
