// A network as a value: it owns its parameters, is of either precision without a template, and settles, differentiates and saves
// itself.
//
//   irn::Network network("4-20-3identity", {.seed = 1});
//   irn::Answers answers = network.settle({inputs, 4});          // a std::vector of numbers, four a row
//   if (answers.answered(0)) use(answers.outputs().row(0));       // else: answers.verdicts()[0] says why not
//
// A state is one number a neuron, layer after layer: the outputs are the last. What a call needs (packed weights, the memory of threads) is
// kept for the next one with the same options. For one caller at a time; a copy is independent of what it was copied from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "irn/base/or_text.h"
#include "irn/engine/batch_gradient.h"
#include "irn/engine/settler.h"
#include "irn/front/view.h"
#include "irn/network/parameter_parts.h"

namespace irn {

struct NetworkOptions {
  Precision precision = Precision::float32;
  Start start = Start::scaled;
  std::uint64_t seed = 0;
};

// How equilibria are looked for.
struct Settling {
  OrText<Solver> solver = Auto{};  // auto: as the network was trained
  double tolerance = 0;  // of the residual; 0: as it was trained, else 1e-5 in float32, 1e-8 in float64
  OrText<Device> device = Device::cpu;  // whose engine computes
  double floor = 1;                     // residuals of an unknown are measured against max(floor, |z_i|)
  bool confirm = true;  // ask of every equilibrium whether it attracts; one that repels is no answer
};

// How they are differentiated.
struct Differentiating {
  OrText<Gradient> gradient = ExactGradient{};
  OrText<Solver> solver = Auto{};
  double tolerance = 0;
  OrText<Device> device = Device::cpu;
  OnFold on_fold = OnFold::leave_out;
  double amplification_limit = 1e4;
  bool inputs = false;                  // whether the gradient by the inputs is wanted, too
  std::vector<std::size_t> heads = {};  // layers whose neurons the loss sees, counted from 1; empty: the last
};

// States and verdicts of a batch, one row a sample. A state whose verdict has no answer is the last iterate and no answer.
class Answers {
 public:
  std::size_t size() const { return verdicts().size(); }
  View states() const;   // [sample][neuron]
  View outputs() const;  // [sample][neuron of the last layer]
  const std::vector<Verdict>& verdicts() const;
  bool settled(std::size_t sample) const { return verdicts()[sample].outcome == Outcome::settled; }
  bool answered(std::size_t sample) const { return has_answer(verdicts()[sample].outcome); }
  Summary summary() const { return summarise(verdicts()); }

 protected:
  friend class Network;
  template <class T>
  const Equilibria<T>& found() const;
  std::shared_ptr<const void> found_;  // an Equilibria<T>
  Precision precision_ = Precision::float32;
  std::size_t outputs_ = 0;
};

// What a forward pass has found, for backward(): of one network and of the parameters it had.
class Pass : public Answers {
 private:
  friend class Network;
  std::shared_ptr<const void> forward_;  // a Forward<T>, of which the answers are a part
};

// A gradient: of the parameters, the mean over the samples used, and of each sample's inputs.
class Gradients {
 public:
  View parameters() const;  // one row
  View inputs() const;      // [sample][input]; empty unless asked for
  const std::vector<GradientOutcome>& outcomes() const;
  const std::vector<double>& amplification() const;  // |u| / |g| of each sample
  std::size_t used() const;                          // samples

 private:
  friend class Network;
  std::shared_ptr<const void> found_;  // a GradientResult<T>
  Precision precision_ = Precision::float32;
  std::size_t inputs_ = 0;
};

class Network {
 public:
  // Throws irn::Error for a text that names no network (irn/network/architecture.h has the grammar).
  explicit Network(std::string_view architecture, const NetworkOptions& options = {});
  explicit Network(const Architecture& architecture, const NetworkOptions& options = {});
  explicit Network(NetworkOf<float> network);
  explicit Network(NetworkOf<double> network);
  // Of a model file, with the solver and tolerance it was trained with; what else the file has is Predictor's (irn/model/predictor.h).
  static Network load(const std::filesystem::path& path);
  ~Network();
  Network(const Network& other);
  Network(Network&&) noexcept;
  Network& operator=(const Network& other);
  Network& operator=(Network&&) noexcept;

  const Architecture& architecture() const;
  std::string text() const { return to_text(architecture()); }
  Precision precision() const;
  std::size_t inputs() const { return architecture().inputs(); }
  std::size_t outputs() const { return architecture().outputs(); }
  std::size_t neurons() const { return architecture().neurons(); }

  // All parameters as one row, and each tensor by its name ("layer1.input", "layer1.layer2", "layer1.bias", ...), as a model file has
  // them. What is set must fit and be finite.
  View parameters() const;
  void set_parameters(View values);
  std::vector<ParameterPart> parts() const { return parameter_parts(architecture()); }
  View parameter(std::string_view name) const;
  void set_parameter(std::string_view name, View values);

  // Solver and tolerance that are taken where a call leaves them open: those it was trained with, by Training or in a file. On which device, every call
  // says itself.
  const SettleOptions& trained_with() const;
  void set_trained_with(const SettleOptions& options);
  // Whether it was trained with a certificate that holds for the parameters of now: proven anew after they have changed. Then there is one
  // equilibrium for every input, and settle() takes any way to it.
  bool certified() const;

  // The state that dz/dt = F(z) - z reaches for each row of inputs. `starts`: where from, one state for all rows or one a row; empty: at
  // rest, z = 0.
  Answers settle(View inputs, const Settling& how = {}, View starts = {});

  // A pass forward and, any number of times, back: slopes are dL/d(outputs), one row a sample (of several heads: their neurons one
  // after the other), weights one a sample (none: 1 each).
  Pass forward(View inputs, const Differentiating& how = {}, View starts = {});
  Gradients backward(const Pass& pass, View slopes, View weights = {});

  // For the plain columns x0, x1, ... and y0, y1, ...; written whole or not at all.
  void save(const std::filesystem::path& path) const;

  // The core below, for the rest of the library; null for the other precision. `changed()` after its parameters were.
  template <class T>
  NetworkOf<T>* core();
  template <class T>
  const NetworkOf<T>* core() const;
  void changed();
  std::uint64_t changes() const;  // how often they were

  struct Inside;

 private:
  std::unique_ptr<Inside> inside_;
};

// Threads that networks share: all hardware threads, or as many as IRN_THREADS says.
ThreadPool& shared_threads();

}  // namespace irn
