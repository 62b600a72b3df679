// Stands in for the solvers in the programs that fuzz readers: a model names its solver, but nothing here settles a sample.
// Compiling the solvers with sanitizers would take longer than the fuzzing.
#include <cstdlib>

#include "irn/equilibrium/chunk_solver.h"

namespace irn {

template <class T>
ChunkShape best_shape(const PackedNetwork<T>&, const Solver&, std::size_t) {
  std::abort();
}
template <class T>
std::unique_ptr<ChunkSolver<T>> make_chunk_solver(const PackedNetwork<T>&, const Solver&, double,
                                                  ChunkShape) {
  std::abort();
}
void solve_problems(const Problem&, std::size_t, const Solver&, double, double*, Verdict*) { std::abort(); }

template ChunkShape best_shape(const PackedNetwork<float>&, const Solver&, std::size_t);
template ChunkShape best_shape(const PackedNetwork<double>&, const Solver&, std::size_t);
template std::unique_ptr<ChunkSolver<float>> make_chunk_solver(const PackedNetwork<float>&, const Solver&,
                                                               double, ChunkShape);
template std::unique_ptr<ChunkSolver<double>> make_chunk_solver(const PackedNetwork<double>&, const Solver&,
                                                                double, ChunkShape);

}  // namespace irn
