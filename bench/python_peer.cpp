// The C++ side of bench/python_overhead.py:  bench_python_peer NETWORK INPUTS ROWS
// Reads names of calls, one in each line, makes each call once and prints its seconds of processor time. They
// are the calls of the Python package, on the same network and rows (INPUTS: float64, row by row). Results
// can be kept, like an array in Python.
#include <ctime>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <map>

#include "irn/base/file.h"
#include "irn/irn.h"

namespace {

double processor_time() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 4) throw irn::Error("usage: bench_python_peer NETWORK INPUTS ROWS");
  irn::Network network = irn::Network::load(argv[1]);
  irn::Predictor predictor(argv[1], {.pool = &irn::shared_threads()});
  const std::string bytes = irn::read_file(argv[2]);
  const std::size_t rows = std::strtoul(argv[3], nullptr, 10), columns = bytes.size() / sizeof(double) / rows;
  std::vector<double> x(rows * columns);
  std::memcpy(x.data(), bytes.data(), x.size() * sizeof(double));
  const std::vector<float> single(x.begin(), x.end());
  const std::span<const double> all = x;

  const std::map<std::string, std::function<double()>> calls = {
      {"settle_bulk", [&] { return network.settle({single, columns}).outputs()(0, 0); }},
      {"settle_row", [&] { return network.settle({single.data(), 1, columns}).outputs()(0, 0); }},
      {"predict_bulk",
       [&] {
         std::vector<irn::Prediction> out;
         predictor.predict_rows(all, out);
         return out[0].values[0];
       }},
      {"predict_row", [&] { return predictor.predict(all.first(columns)).values[0]; }}};
  double sum = 0;  // uses every answer
  for (std::string name; std::getline(std::cin, name);) {
    const std::function<double()>& call = calls.at(name);
    const double begin = processor_time();
    sum += call();
    std::printf("%.9g\n", processor_time() - begin);
    std::fflush(stdout);
  }
  return sum == 12345.678 ? 1 : 0;
} catch (const irn::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
