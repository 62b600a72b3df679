// The error of a network over a data set of any size, in constant memory. Losses are weighted means over the
// samples that have an answer; scores count a sample without an answer as wrong (Score).
#pragma once

#include <vector>

#include "irn/engine/settler.h"
#include "irn/train/heads.h"

namespace irn {

struct HeadEvaluation {
  double loss = 0;   // weighted mean over the samples that have an answer; not a number if none has
  double score = 0;  // see Score
};

struct Evaluation {
  double loss = 0;                         // the heads' losses, each times its head's weight
  double score = 0;                        // of the first head
  Summary summary;                         // how many settled, and the others' outcomes
  double weight = 0, answered_weight = 0;  // of all samples, and of those that have an answer
  std::vector<HeadEvaluation> heads;
};

// Sums are taken over parts of a fixed size and then over the parts, in order, so that their bits do not
// depend on the number of threads.
// `outputs`, if given, receives what settle_outputs would return: for metrics that need all answers at once.
template <class T>
Evaluation evaluate(Settler<T>& settler, const Samples<T>& samples, const std::vector<Head>& heads,
                    Equilibria<T>* outputs = nullptr);
// The same for one head on the last layer.
template <class T>
Evaluation evaluate(Settler<T>& settler, const Samples<T>& samples, const Loss& loss = SquaredLoss{});

// The answers to all samples, in their order: verdicts and outputs, without the rest of the states.
template <class T>
Equilibria<T> settle_outputs(Settler<T>& settler, const Samples<T>& samples);

// The evaluation of answers found earlier: the outputs of the last layer.
template <class T>
Evaluation evaluate_answers(const Equilibria<T>& answers, const Samples<T>& samples, const Loss& loss);

}  // namespace irn
