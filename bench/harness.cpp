#include "bench/harness.h"

#include <chrono>
#include <cstdio>
#include <ctime>
#include <thread>

namespace irn::bench {

int run(int argc, char** argv, void (*register_all)()) try {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  register_all();
  if (benchmark::RunSpecifiedBenchmarks() == 0) return 2;  // it has printed why
  benchmark::Shutdown();
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
  return 1;
}

std::vector<std::size_t> thread_counts() {
  const std::size_t all = std::thread::hardware_concurrency();
  return all > 1 ? std::vector<std::size_t>{1, all} : std::vector<std::size_t>{1};
}

double Stopwatch::now() const {
  if (!wall_) return double(std::clock()) / CLOCKS_PER_SEC;
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

ThreadPool& pool(std::size_t threads) {
  static std::map<std::size_t, std::unique_ptr<ThreadPool>> pools;
  std::unique_ptr<ThreadPool>& made = pools[threads];
  if (!made) made = std::make_unique<ThreadPool>(threads);
  return *made;
}

}  // namespace irn::bench
