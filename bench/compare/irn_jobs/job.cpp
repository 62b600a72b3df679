#include "bench/compare/irn_jobs/job.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

#include "bench/trained.h"
#include "irn/base/error.h"
#include "irn/base/random.h"
#include "irn/engine/cuda/replica_task.h"
#include "irn/engine/devices.h"

namespace irn::bench {
namespace {

template <class T>
void take(const Json& json, std::string_view key, T& value) {
  if (const auto found = json.find(std::string(key)); found != json.end()) value = found->get<T>();
}

constexpr std::string_view known[] = {"job",     "network", "solver",    "gradient", "images",
                                      "hidden",  "samples", "batch",     "replicas", "batches",
                                      "threads", "memory",  "tolerance", "number",   "device"};

NetworkOf<float> random_network(std::size_t hidden, std::uint64_t seed) {
  NetworkOf<float> network(from_text<Architecture>("100-" + std::to_string(hidden) + "-2"), Start::scaled,
                           seed);
  const Stream draw(seed, 4242);
  const double spread = 3 / std::sqrt(double(network.architecture().neurons()));
  for (const Block& block : network.architecture().blocks())
    if (!block.from_input())
      for (std::size_t k = block.weights; k < block.weights + block.rows * block.cols; ++k)
        network.parameters()[k] = float(spread * draw.normal(k));
  return network;
}

std::vector<float> as_floats(const std::vector<double>& values, std::size_t count) {
  return {values.begin(), values.begin() + std::ptrdiff_t(count)};
}

}  // namespace

Spec spec_from(const Json& json) {
  for (const auto& [key, value] : json.items())
    if (std::ranges::find(known, key) == std::end(known)) throw Error("a job has no '" + key + "'");
  Spec s;
  take(json, "job", s.job), take(json, "network", s.network), take(json, "solver", s.solver);
  take(json, "gradient", s.gradient), take(json, "images", s.images), take(json, "hidden", s.hidden);
  take(json, "samples", s.samples), take(json, "batch", s.batch), take(json, "replicas", s.replicas);
  take(json, "batches", s.batches), take(json, "threads", s.threads), take(json, "tolerance", s.tolerance);
  take(json, "memory", s.memory);
  std::string device = "cpu";
  take(json, "device", device);
  s.device = from_text<Device>(device);
  check_device(s.device);
  return s;
}

std::unique_ptr<Job> make_job(const Spec& spec) {
  if (spec.job == "settle")
    return spec.on_device() && spec.memory == "device" ? make_device_settle(spec) : make_settle(spec);
  if (spec.job == "step")
    return spec.on_device() && cuda::has_replicas(spec.hidden, spec.batch) ? make_replica_step(spec)
                                                                           : make_step(spec);
  if (spec.job == "epoch") return make_epoch(spec);
  if (spec.job == "latency") return make_latency(spec);
  throw Error("unknown job '" + spec.job + "': settle, step, epoch or latency");
}

ThreadPool& pool(std::size_t threads) {
  static std::map<std::size_t, std::unique_ptr<ThreadPool>> pools;
  std::unique_ptr<ThreadPool>& made = pools[threads];
  if (!made) made = std::make_unique<ThreadPool>(threads);
  return *made;
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

NetworkOf<float> network_of(const Spec& spec, std::uint64_t seed) {
  if (spec.network == "trained") return trained(recipe(spec.hidden, NetworkKind::exact, seed));
  if (spec.network == "random") return random_network(spec.hidden, seed);
  throw Error("unknown network '" + spec.network + "': trained or random");
}

void add_weights(Npz& file, const std::vector<NetworkOf<float>>& networks) {
  const Architecture& a = networks.front().architecture();
  const std::size_t n = a.neurons(), h = a.first_output(), k = a.inputs();
  std::vector<float> weights, inputs, biases;
  for (const NetworkOf<float>& network : networks) {
    const std::vector<float> dense_a = as_floats(network.dense_a(), n * n);
    const std::vector<float> dense_b = as_floats(network.dense_b(), h * k);
    weights.insert(weights.end(), dense_a.begin(), dense_a.end());
    inputs.insert(inputs.end(), dense_b.begin(), dense_b.end());
    const auto bias = network.parameters().subspan(a.biases(), n);
    biases.insert(biases.end(), bias.begin(), bias.end());
  }
  file.add("a", weights, {networks.size(), n, n});
  file.add("b", inputs, {networks.size(), h, k});
  file.add("bias", biases, {networks.size(), n});
}

}  // namespace irn::bench
