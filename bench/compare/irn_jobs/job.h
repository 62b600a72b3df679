// A job that irn and its peers both do. Its description is a small JSON object, the same for all:
//   job        settle | step | epoch | latency
//   network    trained (bench/trained.h) | random (a stated law, for growth and for self-tests)
//   hidden, samples, batch, replicas, batches, tolerance, threads, solver, gradient, images
//   device     cpu | cuda | cuda:N
//   memory     device | host: where a settle job on a device has its samples; peers have theirs on the device
// Making a job trains, draws and packs; none of that is timed. A job does not judge answers: the comparison
// does, with one oracle for all.
#pragma once

#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "bench/compare/irn_jobs/npz.h"
#include "irn/base/threads.h"
#include "irn/engine/settler.h"
#include "irn/network/network.h"

namespace irn::bench {

using Json = nlohmann::json;

struct Spec {
  std::string job = "settle", network = "trained", solver = "auto", gradient = "exact", images = "";
  std::string memory = "device";
  std::size_t hidden = 5, samples = 1024, batch = 6, replicas = 1, batches = 1, threads = 1;
  double tolerance = 1e-5;
  Device device = Device::cpu;
  bool on_device() const { return device != Device::cpu; }
  SettleOptions settle_options() const {
    return {.solver = from_text<Solver>(solver), .tolerance = tolerance, .device = device};
  }
};
// Refuses unknown keys, so that no request is ignored.
Spec spec_from(const Json& json);

class Job {
 public:
  virtual ~Job() = default;
  // What peers need for the same job.
  virtual void hand_over(Npz& file) const = 0;
  // Method, items of a run (samples, steps of one replica, calls), operations and bytes for each item.
  virtual Json describe() = 0;
  // Runs the job once; seconds of wall time.
  virtual double run() = 0;
  // The answer, for the oracle: states `z`, gradients `da`, `db`, `dbias`, and numbers worth printing.
  virtual Json answer(Npz& file) = 0;
};

std::unique_ptr<Job> make_job(const Spec& spec);
std::unique_ptr<Job> make_settle(const Spec& spec);
std::unique_ptr<Job> make_step(const Spec& spec);
std::unique_ptr<Job> make_epoch(const Spec& spec);
std::unique_ptr<Job> make_latency(const Spec& spec);
// On a device: samples that stay in its memory; small networks trained side by side.
std::unique_ptr<Job> make_device_settle(const Spec& spec);
std::unique_ptr<Job> make_replica_step(const Spec& spec);

// The network of a job as a model file, for `irn predict`.
void write_model_of(const Spec& spec, const std::string& file);

ThreadPool& pool(std::size_t threads);  // started once, kept
double now();                           // seconds of a steady clock

// 100 inputs, 2 outputs. `trained`: bench/trained.h. `random`: A is normal with standard deviation 3 /
// sqrt(n); its flow contracts in the mean (the slope of a sigmoid is at most 1/4), and its difficulty does
// not depend on n.
NetworkOf<float> network_of(const Spec& spec, std::uint64_t seed);

// A (n x n), B (rows with inputs only) and b of several networks of one architecture.
void add_weights(Npz& file, const std::vector<NetworkOf<float>>& networks);

}  // namespace irn::bench
