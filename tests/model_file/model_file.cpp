// irn's side of the test of model files:
//   model_file_program write PATH float|double   a model with numbers, a text, skips and feedback; neither layer alike
//   model_file_program predict PATH SIZE COLOUR  its outputs in full, one a line; status 4 if they did not settle
#include <cstdio>
#include <cstring>
#include <string>

#include "irn/base/random.h"
#include "irn/model/predictor.h"

namespace {

template <class T>
irn::ModelOf<T> sample() {
  const irn::Architecture architecture =
      irn::from_text<irn::Architecture>("3-5tanh-4-2identity/full+0:3+3:1-3:3");
  const irn::Stream stream(1);
  std::vector<T> parameters(architecture.parameters());
  for (std::size_t i = 0; i < parameters.size(); ++i)
    parameters[i] = static_cast<T>(stream.uniform(i, -0.6, 0.6));
  irn::Encoding encoding{.inputs = {{"size", {}, 2.5, 1.25}, {"colour", {"blue", "red"}}},
                         .targets = {{"weight", {}, 70, 12}, {"height", {}, 1.7, 0.1}}};
  const double tolerance = sizeof(T) == 4 ? 1e-5 : 1e-10;
  return {
      irn::NetworkOf<T>(architecture, std::move(parameters)), std::move(encoding), {irn::Auto{}, tolerance}};
}

int predict(const char* path, double size, const char* colour) {
  const irn::Prediction p = irn::Predictor(path).predict({size, colour});
  for (const double value : p.values) std::printf("%.17g\n", value);
  return p.settled() ? 0 : 4;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "write" && argc == 4) {
    std::strcmp(argv[3], "float") == 0 ? irn::write_model(argv[2], sample<float>())
                                       : irn::write_model(argv[2], sample<double>());
    return 0;
  }
  if (command == "predict" && argc == 5) return predict(argv[2], std::stod(argv[3]), argv[4]);
  return 2;
} catch (const irn::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 3;
}
