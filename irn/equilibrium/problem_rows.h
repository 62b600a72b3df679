// Passes questions about states to the functions of the caller's problem. Questions and answers are rows of
// numbers.
//
// The code that asks (a solver's map, an adjoint) is written for one group of problems at a time. Groups run
// in one of two ways:
//   run_alone     group by group, shared out over the threads of a pool; a question is answered at once
//   run_together  many groups, each on its own stack (irn/base/fiber.h): a question waits until all groups
//                 have asked theirs, and is then answered in one call for all
// Does not know what the groups compute.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "irn/base/threads.h"
#include "irn/equilibrium/problem.h"

namespace irn {

enum class Calls : unsigned char { alone, together };

// F(z), its Jacobian J there, J v, J^T v.
enum class Ask : unsigned char { value, jacobian, product, transposed };

class RowCalls {
 public:
  struct Rows {
    std::size_t* index;  // numbers of the problems
    double* z;
    double* v;  // of products
  };
  virtual ~RowCalls() = default;
  // Room for `count` > 0 questions, to be filled in.
  virtual Rows room(Ask ask, std::size_t count) = 0;
  // The answers, one row for each question: `size` numbers or, for a Jacobian, size * size. They stay valid
  // until the next room().
  virtual const double* answer() = 0;
};

// The working memory of one stack or one thread.
class GroupWork {
 public:
  virtual ~GroupWork() = default;
  virtual void run(std::size_t group) = 0;
};
using MakeWork = std::function<std::unique_ptr<GroupWork>(RowCalls& calls)>;  // by any thread

// Calls run(group) for groups 0 .. groups - 1. An exception of the caller's functions ends all of it.
void run_alone(const BatchProblem& problem, std::size_t groups, ThreadPool& threads, const MakeWork& make);
void run_together(const BatchProblem& problem, std::size_t groups, std::size_t at_once, ThreadPool& threads,
                  const MakeWork& make);

// How many groups of `bytes` each may run together: enough for calls of thousands of rows in bounded memory.
std::size_t groups_at_once(std::size_t bytes);

// The problem as a BatchProblem that answers its rows one after the other. It refers to `problem`.
BatchProblem in_rows(const Problem& problem);

// Throws irn::Error for a problem without unknowns or map.
void check(const BatchProblem& problem);

}  // namespace irn
