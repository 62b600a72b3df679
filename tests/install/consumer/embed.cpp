// Answers of a trained model in a program:  embed MODEL NUMBER...
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "irn/irn.h"

int main(int argc, char** argv) try {
  if (argc < 3) throw irn::Error("usage: embed MODEL NUMBER...");
  irn::Predictor predictor(argv[1]);  // scaling, network and solver are in the file

  std::vector<double> row;
  for (int i = 2; i < argc; ++i) row.push_back(std::atof(argv[i]));
  const irn::Prediction answer = predictor.predict(row);

  if (!answer.answered()) {  // there is no answer, and the verdict says why
    std::printf("no answer: %s, residual %g\n", name(answer.verdict.outcome).data(), answer.verdict.residual);
    return 1;
  }
  for (const double value : answer.values)
    std::printf("%.15g\n", value);  // of classes: answer.label, answer.probabilities
} catch (const irn::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
