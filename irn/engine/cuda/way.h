// How a network's searches are run: by which kernels, and with which layout of its matrix and vectors. Chosen
// by its size, its activations and its solver.
#pragma once

#include <vector>

#include "irn/engine/cuda/module.h"
#include "irn/engine/cuda/runtime.h"
#include "irn/engine/cuda/search_memory.h"

namespace irn::cuda {

template <class T>
class SearchWay {
 public:
  virtual ~SearchWay() = default;
  virtual std::size_t size() const = 0;  // neurons, padding included
  virtual VectorLayout layout(std::size_t count) const = 0;
  virtual std::vector<T> arranged(const T* a,
                                  std::size_t n) const = 0;  // the matrix in the layout of SearchMemory::a
  virtual bool keeps_launched() const { return false; }  // whether it writes SearchMemory::z, f and highest
  virtual bool by_columns() const { return false; }      // whether entry (i, j) is at j * size() + i there
  // Runs all kernels of a search, in order. `a` is the arranged matrix, in host memory.
  virtual void run(const std::vector<T>& a, const Solver& solver, const Rules<double>& rules,
                   const SearchMemory<T>& memory, cudaStream_t stream) const = 0;
};

// Null for a plan that this kind of search does not serve.
template <class T>
std::unique_ptr<SearchWay<T>> thread_way(const SearchPlan& plan);
template <class T>
std::unique_ptr<SearchWay<T>> shared_way(const SearchPlan& plan);
template <class T>
std::unique_ptr<SearchWay<T>> wide_way(const SearchPlan& plan);

}  // namespace irn::cuda
