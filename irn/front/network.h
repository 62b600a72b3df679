// A network as a value. It owns its parameters, has either precision without being a template, and can
// settle, differentiate and save itself.
//
//   irn::Network network("4-20-3identity", {.seed = 1});
//   irn::Answers answers = network.settle({inputs, 4});          // a std::vector of numbers, four a row
//   if (answers.answered(0)) use(answers.outputs().row(0));       // else: answers.verdicts()[0] says why not
//
// A state has one number for each neuron, layer after layer; the outputs are the last layer. The network
// keeps its working memory (packed weights, the memory of threads) for the next call with the same options.
// For one caller at a time. Copies are independent.
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

// How equilibria are searched.
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

// States and verdicts of a batch, one row for each sample. If the verdict is no answer, the state is only
// where the search ended.
class Answers {
 public:
  std::size_t size() const { return verdicts().size(); }
  View states() const;   // [sample][neuron]
  View outputs() const;  // [sample][neuron of the last layer]
  const std::vector<Verdict>& verdicts() const;
  // Both throw std::out_of_range for a sample that does not exist.
  bool settled(std::size_t sample) const { return verdicts().at(sample).outcome == Outcome::settled; }
  bool answered(std::size_t sample) const { return has_answer(verdicts().at(sample).outcome); }
  Summary summary() const { return summarise(verdicts()); }

 protected:
  friend class Network;
  template <class T>
  const Equilibria<T>& found() const;
  std::shared_ptr<const void> found_;  // an Equilibria<T>
  Precision precision_ = Precision::float32;
  std::size_t outputs_ = 0;
};

// What a forward pass has found, for backward() of the same network with the same parameters.
class Pass : public Answers {
 private:
  friend class Network;
  std::shared_ptr<const void> forward_;  // a Forward<T>, of which the answers are a part
  std::shared_ptr<void> gradient_;       // the BatchGradient<T> that made it
  std::uint64_t stamp_ = 0;              // of the parameters it was made with
};

// The gradient by the parameters, which is the mean over the samples used, and by the inputs of each sample.
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
  // The network of a model file, with the solver and tolerance of its training. A Predictor
  // (irn/model/predictor.h) reads the whole file.
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

  // All parameters as one row, and each tensor by its name in a model file ("layer1.input", "layer1.layer2",
  // "layer1.bias", ...). Values that are set must fit and be finite.
  View parameters() const;
  void set_parameters(View values);
  std::vector<ParameterPart> parts() const { return parameter_parts(architecture()); }
  View parameter(std::string_view name) const;
  void set_parameter(std::string_view name, View values);

  // The solver and tolerance of the training, by Training or in a file; a call that leaves them open takes
  // them. Each call names its own device.
  const SettleOptions& trained_with() const;
  void set_trained_with(const SettleOptions& options);
  // Whether it was trained with a certificate that holds for its present parameters; the proof is repeated
  // after they change. Every input then has exactly one equilibrium, and settle() may use any path to it.
  bool certified() const;

  // The state that dz/dt = F(z) - z reaches for each row of inputs. The flow begins at `starts`, one state
  // for all rows or one for each; if that is empty, at rest, z = 0.
  Answers settle(View inputs, const Settling& how = {}, View starts = {});

  // A forward pass, and any number of backward passes from it. `slopes` are dL/d(outputs), one row for each
  // sample; with several heads a row holds the neurons of one head after the other. `weights` are one for
  // each sample; empty: 1 each.
  Pass forward(View inputs, const Differentiating& how = {}, View starts = {});
  Gradients backward(const Pass& pass, View slopes, View weights = {});

  // Writes a model file for the plain columns x0, x1, ... and y0, y1, ..., whole or not at all.
  void save(const std::filesystem::path& path) const;

  // The underlying network, for the rest of the library; null for the other precision. Call changed() after
  // changing its parameters.
  template <class T>
  NetworkOf<T>* core();
  template <class T>
  const NetworkOf<T>* core() const;
  void changed();
  std::uint64_t changes() const;  // how often the parameters changed

  struct Inside;

 private:
  std::unique_ptr<Inside> inside_;
};

// The threads that networks share: as many as IRN_THREADS says, by default all hardware threads.
ThreadPool& shared_threads();

}  // namespace irn
