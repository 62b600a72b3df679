#include "bench/trained.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "irn/base/error.h"
#include "irn/base/file.h"
#include "irn/base/options_text.h"
#include "irn/base/random.h"
#include "irn/train/evaluate.h"
#include "irn/train/trainer.h"

namespace irn::bench {
namespace {

constexpr std::uint64_t training_samples = 3'200'000;
constexpr std::uint64_t batch_stream = 77;

std::filesystem::path file_of(const Recipe& r) {
  std::string name = r.architecture + "_" + to_text(r.gradient) + "_" +
                     std::string(start_names[static_cast<std::size_t>(r.start)]) + "_" + write_value(r.rate) +
                     "_" + std::to_string(r.batch) + "x" + std::to_string(r.steps) + "_seed" +
                     std::to_string(r.seed) + (r.certify > 0 ? "_certified" + write_value(r.certify) : "") +
                     ".f32";
  for (char& c : name)
    if (c == '/') c = '_';
  const char* chosen = std::getenv("IRN_BENCH_CACHE");  // for a program copied to another machine
  return std::filesystem::path(chosen ? chosen : IRN_BENCH_CACHE) / name;
}

NetworkOf<float> train(const Recipe& r) {
  NetworkOf<float> network(from_text<Architecture>(r.architecture), r.start, r.seed);
  const Oscillator<float> samples({.seed = 1, .count = training_samples});
  // For six samples a second thread is not worth it; the answer is the same.
  ThreadPool threads(r.batch < 32 ? 1 : 0);
  TrainOptions options{
      .gradient = {.gradient = r.gradient}, .optimiser = Adam{.rate = r.rate}, .certify = r.certify};
  Trainer<float> trainer(network, options, threads);
  const Stream draw(r.seed, batch_stream);
  std::vector<std::uint64_t> index(r.batch);
  for (std::size_t step = 0; step < r.steps; ++step) {
    for (std::size_t s = 0; s < r.batch; ++s) index[s] = draw.below(step * r.batch + s, training_samples);
    trainer.step(samples, index);
  }
  trainer.certify();
  return network;
}

NetworkOf<float> load(const Recipe& r, const std::filesystem::path& file) {
  const Architecture architecture = from_text<Architecture>(r.architecture);
  const std::string bytes = read_file(file);
  std::vector<float> values(architecture.parameters());
  if (bytes.size() != values.size() * sizeof(float))
    throw Error(file.string() + " is not a trained " + r.architecture + "; delete it to train anew");
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return NetworkOf<float>(architecture, std::move(values));
}

void save(const NetworkOf<float>& network, const std::filesystem::path& file) {
  std::filesystem::create_directories(file.parent_path());
  const auto values = network.parameters();
  write_file_atomically(file, {reinterpret_cast<const char*>(values.data()), values.size_bytes()});
}

void report(const NetworkOf<float>& network) {
  ThreadPool threads;
  Settler<float> settler(network, {}, threads);
  const Evaluation test = evaluate(settler, Oscillator<float>(test_samples(2048)));
  std::fprintf(stderr, " mean squared error %.5f on test samples, %.3f %% settled\n", test.loss,
               100 * test.summary.settled_share());
}

}  // namespace

Recipe paper_recipe(std::size_t hidden, NetworkKind kind, std::uint64_t seed) {
  const bool flat = kind == NetworkKind::feed_forward;
  return {.architecture = "100-" + std::to_string(hidden) + (flat ? "-2/none" : "-2"),
          .gradient = kind == NetworkKind::semi ? Gradient(SemiGradient{}) : Gradient(ExactGradient{}),
          .start = Start::paper,
          .rate = 0.01,
          .batch = 6,
          .steps = 80'000,
          .seed = seed,
          .certify = kind == NetworkKind::certified ? 0.95 : 0};
}

// Wide layers: the rate falls with the width, because every output is a sum over it. The number of steps lets
// the whole set of networks train within a few minutes on two cores. A step without recurrence costs a
// thirtieth, and 400 of them have taught 1024 neurons nothing (loss 0.078).
Recipe recipe(std::size_t hidden, NetworkKind kind, std::uint64_t seed) {
  Recipe r = paper_recipe(hidden, kind, seed);
  if (hidden <= 32) return r;
  const std::size_t more = kind == NetworkKind::feed_forward ? 10 : 1;
  r.start = Start::scaled;
  r.rate = 0.024 / std::sqrt(double(hidden));
  r.batch = 256;
  r.steps = (hidden < 128 ? 3000 : hidden < 512 ? 1000 : 400) * more;
  return r;
}

NetworkOf<float> trained(const Recipe& r) {
  const std::filesystem::path file = file_of(r);
  if (std::filesystem::exists(file)) return load(r, file);
  std::fprintf(stderr, "training %s, %s gradient, %zu steps of %zu, seed %zu:", r.architecture.c_str(),
               to_text(r.gradient).c_str(), r.steps, r.batch, std::size_t(r.seed));
  const NetworkOf<float> network = train(r);
  report(network);
  save(network, file);
  return network;
}

OscillatorOptions test_samples(std::size_t count) {
  return {.seed = 1, .first = training_samples, .count = count};
}

}  // namespace irn::bench
