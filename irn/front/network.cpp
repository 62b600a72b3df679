#include "irn/front/network.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <optional>
#include <variant>

#include "irn/base/error.h"
#include "irn/base/options_text.h"
#include "irn/data/sample_table.h"
#include "irn/engine/devices.h"
#include "irn/front/samples_of_view.h"
#include "irn/model/model.h"
#include "irn/network/certificate.h"

namespace irn {
namespace {

// Options left open take the values of the training.
SettleOptions options_of(const Settling& how, const SettleOptions& trained, bool certified) {
  const bool open = std::holds_alternative<Auto>(how.solver.value());
  return {open ? trained.solver : how.solver.value(),
          how.tolerance == 0 ? trained.tolerance : how.tolerance,
          how.device.value(),
          certified,
          how.floor,
          how.confirm};
}
GradientOptions options_of(const Differentiating& how) {
  return {.gradient = how.gradient.value(),
          .settle = {how.solver.value(), how.tolerance, how.device.value()},
          .on_fold = how.on_fold,
          .amplification_limit = how.amplification_limit,
          .input_gradient = how.inputs,
          .heads = how.heads};
}

// Equal options give equal text: what is kept for one call serves the next.
std::string key_of(const SettleOptions& o) {
  return to_full_text(o.solver) + " " + write_value(o.tolerance) + " " + to_text(o.device) + " " +
         write_value(o.floor) + " " + write_value(o.confirm) + " " + write_value(o.certified);
}
std::string key_of(const GradientOptions& o) {
  std::string key = to_full_text(o.gradient) + " " + key_of(o.settle) + " " +
                    write_value(o.amplification_limit) + " " + std::to_string(int(o.on_fold)) +
                    write_value(o.input_gradient);
  for (const std::size_t head : o.heads) key += " " + std::to_string(head);
  return key;
}

template <class T>
NetworkOf<T> make(const Architecture& architecture, const NetworkOptions& options) {
  return NetworkOf<T>(architecture, options.start, options.seed);
}

// A network of one precision, with what its calls keep.
template <class T>
struct Core {
  explicit Core(NetworkOf<T> given) : network(std::move(given)) {}

  Settler<T>& settler_for(const SettleOptions& options) {
    if (!settler || settler_key != key_of(options)) {
      settler.emplace(network, options, shared_threads());
      settler_key = key_of(options), settler_is_fresh = true;
    }
    if (!settler_is_fresh) settler->update(network), settler_is_fresh = true;
    return *settler;
  }
  BatchGradient<T>& gradient_for(const GradientOptions& options) {
    if (!gradient || gradient_key != key_of(options)) {
      gradient = std::make_shared<BatchGradient<T>>(network, options, shared_threads());
      gradient_key = key_of(options), gradient_is_fresh = true;
    }
    if (!gradient_is_fresh) gradient->update(network), gradient_is_fresh = true;
    return *gradient;
  }
  void changed() { settler_is_fresh = gradient_is_fresh = false; }

  NetworkOf<T> network;
  std::optional<Settler<T>> settler;
  std::shared_ptr<BatchGradient<T>> gradient;  // passes keep the one that made them
  std::string settler_key, gradient_key;
  bool settler_is_fresh = false, gradient_is_fresh = false;
};

// Start states as T; an empty view is none.
template <class T>
std::span<const T> starts_of(View starts, std::size_t neurons, std::size_t samples, std::vector<T>& copy) {
  if (starts.empty()) return {};
  if (starts.columns() != neurons || (starts.rows() != 1 && starts.rows() != samples))
    throw Error("start states are " + shape_text(starts) + "; give " + std::to_string(neurons) +
                " columns, one a neuron, and one row, or one for each of the " + std::to_string(samples) +
                " samples");
  return starts.as(copy);
}

std::vector<std::uint64_t> all_of(std::size_t count) {
  std::vector<std::uint64_t> index(count);
  for (std::size_t i = 0; i < count; ++i) index[i] = i;
  return index;
}

// A number for each set of parameters that any network has had.
std::uint64_t new_stamp() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

}  // namespace

struct Network::Inside {
  std::variant<Core<float>, Core<double>> core;
  std::uint64_t changes = 0;
  SettleOptions trained = {};          // with which solver and tolerance
  std::optional<bool> certified = {};  // whether the certificate holds, once it was asked for
  std::uint64_t stamp = new_stamp();

  template <class Body>
  decltype(auto) visit(Body&& body) {
    return std::visit(std::forward<Body>(body), core);
  }
};

template <class T>
const Equilibria<T>& Answers::found() const {
  return *static_cast<const Equilibria<T>*>(found_.get());
}
View Answers::states() const {
  if (!found_) return {};
  const auto view = [](const auto& e) { return View(e.states.data(), e.size(), e.neurons); };
  return precision_ == Precision::float32 ? view(found<float>()) : view(found<double>());
}
View Answers::outputs() const {
  const View all = states();
  return all.columns(all.columns() - outputs_, outputs_);
}
const std::vector<Verdict>& Answers::verdicts() const {
  static const std::vector<Verdict> none;
  if (!found_) return none;
  return precision_ == Precision::float32 ? found<float>().verdicts : found<double>().verdicts;
}

namespace {

template <class Body>
decltype(auto) with_result(const std::shared_ptr<const void>& found, Precision precision, Body&& body) {
  static const GradientResult<float> none;
  if (!found) return body(none);
  if (precision == Precision::float32) return body(*static_cast<const GradientResult<float>*>(found.get()));
  return body(*static_cast<const GradientResult<double>*>(found.get()));
}

}  // namespace

View Gradients::parameters() const {
  return with_result(found_, precision_,
                     [](const auto& r) { return View(r.parameters, r.parameters.size()); });
}
View Gradients::inputs() const {
  return with_result(found_, precision_, [&](const auto& r) { return View(r.inputs, inputs_); });
}
const std::vector<GradientOutcome>& Gradients::outcomes() const {
  return with_result(found_, precision_,
                     [](const auto& r) -> const std::vector<GradientOutcome>& { return r.outcomes; });
}
const std::vector<double>& Gradients::amplification() const {
  return with_result(found_, precision_,
                     [](const auto& r) -> const std::vector<double>& { return r.amplification; });
}
std::size_t Gradients::used() const {
  return with_result(found_, precision_, [](const auto& r) { return r.used; });
}

Network::Network(const Architecture& architecture, const NetworkOptions& options)
    : inside_(options.precision == Precision::float32
                  ? std::make_unique<Inside>(Inside{Core<float>(make<float>(architecture, options))})
                  : std::make_unique<Inside>(Inside{Core<double>(make<double>(architecture, options))})) {}
Network::Network(std::string_view architecture, const NetworkOptions& options)
    : Network(from_text<Architecture>(architecture), options) {}
Network::Network(NetworkOf<float> network)
    : inside_(std::make_unique<Inside>(Inside{Core<float>(std::move(network))})) {}
Network::Network(NetworkOf<double> network)
    : inside_(std::make_unique<Inside>(Inside{Core<double>(std::move(network))})) {}
Network::~Network() = default;
Network::Network(Network&&) noexcept = default;
Network& Network::operator=(Network&&) noexcept = default;
Network::Network(const Network& other)
    : inside_(other.inside_->visit([&]<class T>(Core<T>& core) {
        return std::make_unique<Inside>(Inside{Core<T>(core.network), 0, other.inside_->trained});
      })) {}
// In place if possible, so that a training of this network continues with it.
Network& Network::operator=(const Network& other) {
  if (this == &other) return *this;
  if (inside_ && precision() == other.precision() && architecture() == other.architecture()) {
    inside_->trained = other.inside_->trained;
    set_parameters(other.parameters());
    return *this;
  }
  return *this = Network(other);
}

Network Network::load(const std::filesystem::path& path) {
  return std::visit(
      [](auto&& model) {
        Network network(std::move(model.network));
        network.inside_->trained = model.settle;
        return network;
      },
      read_model(path));
}
const SettleOptions& Network::trained_with() const { return inside_->trained; }
void Network::set_trained_with(const SettleOptions& options) { inside_->trained = options; }
bool Network::certified() const {
  if (!inside_->trained.certified) return false;
  if (!inside_->certified)
    inside_->certified = inside_->visit([](const auto& core) { return is_certified(core.network); });
  return *inside_->certified;
}

const Architecture& Network::architecture() const {
  return inside_->visit([](const auto& core) -> const Architecture& { return core.network.architecture(); });
}
Precision Network::precision() const {
  return inside_->visit([]<class T>(const Core<T>&) { return precision_of<T>; });
}
View Network::parameters() const {
  return inside_->visit([](const auto& core) {
    const auto all = core.network.parameters();
    return View(all.data(), 1, all.size());
  });
}
void Network::set_parameters(View values) {
  inside_->visit([&]<class T>(Core<T>& core) {
    std::vector<T> copy;
    core.network.set_parameters(values.as(copy));
  });
  changed();
}

namespace {

ParameterPart part_called(const Architecture& architecture, std::string_view name) {
  std::vector<ParameterPart> parts = parameter_parts(architecture);
  const auto found = std::find_if(parts.begin(), parts.end(), [&](const auto& p) { return p.name == name; });
  if (found != parts.end()) return *found;
  std::vector<std::string_view> known;
  for (const ParameterPart& part : parts) known.push_back(part.name);
  options_detail::refuse_name(name, "parameter of network " + to_text(architecture), known);
}

}  // namespace

View Network::parameter(std::string_view name) const {
  const ParameterPart part = part_called(architecture(), name);
  const std::size_t columns = part.shape.back();
  return inside_->visit([&](const auto& core) {
    return View(core.network.parameters().data() + part.first, part.count / columns, columns);
  });
}
void Network::set_parameter(std::string_view name, View values) {
  const ParameterPart part = part_called(architecture(), name);
  if (values.size() != part.count)
    throw Error("parameter " + part.name + " has " + std::to_string(part.count) + " numbers, but " +
                std::to_string(values.size()) + " were given");
  inside_->visit([&]<class T>(Core<T>& core) {
    std::vector<T> all(core.network.parameters().begin(), core.network.parameters().end()), copy;
    const std::span<const T> given = values.as(copy);
    std::copy(given.begin(), given.end(), all.begin() + static_cast<std::ptrdiff_t>(part.first));
    core.network.set_parameters(all);
  });
  changed();
}

Answers Network::settle(View inputs, const Settling& how, View starts) {
  return inside_->visit([&]<class T>(Core<T>& core) {
    if (inputs.rows() == 0 && inputs.columns() == this->inputs()) {  // no samples, no answers
      check_device(how.device);
      Answers none;
      none.found_ = std::make_shared<Equilibria<T>>(Equilibria<T>{.neurons = neurons()});
      none.precision_ = precision_of<T>, none.outputs_ = outputs();
      return none;
    }
    const SamplesOfView<T> samples(inputs, {}, {}, architecture());
    std::vector<T> copy;
    auto found = std::make_shared<Equilibria<T>>();
    core.settler_for(options_of(how, inside_->trained, certified()))
        .settle(samples.table(), all_of(inputs.rows()), *found,
                starts_of(starts, neurons(), inputs.rows(), copy));
    Answers answers;
    answers.found_ = std::move(found), answers.precision_ = precision_of<T>, answers.outputs_ = outputs();
    return answers;
  });
}

Pass Network::forward(View inputs, const Differentiating& how, View starts) {
  return inside_->visit([&]<class T>(Core<T>& core) {
    const SamplesOfView<T> samples(inputs, {}, {}, architecture());
    std::vector<T> copy;
    auto found = std::make_shared<Forward<T>>();
    core.gradient_for(options_of(how))
        .forward(samples.table(), all_of(inputs.rows()), *found,
                 starts_of(starts, neurons(), inputs.rows(), copy));
    Pass pass;
    pass.gradient_ = core.gradient, pass.stamp_ = inside_->stamp;
    pass.found_ = std::shared_ptr<const void>(found, &found->equilibria);
    pass.forward_ = std::move(found), pass.precision_ = precision_of<T>, pass.outputs_ = outputs();
    return pass;
  });
}

Gradients Network::backward(const Pass& pass, View slopes, View weights) {
  return inside_->visit([&]<class T>(Core<T>&) {
    if (!pass.forward_ || pass.stamp_ != inside_->stamp)
      throw Error(
          "backward() needs a pass that forward() of this network has made with its present parameters; call "
          "forward() again after they have changed");
    std::vector<T> slope_copy, weight_copy;
    auto found = std::make_shared<GradientResult<T>>();
    static_cast<BatchGradient<T>*>(pass.gradient_.get())
        ->backward(*static_cast<const Forward<T>*>(pass.forward_.get()), slopes.as(slope_copy), *found,
                   weights.as(weight_copy));
    Gradients result;
    result.found_ = std::move(found), result.precision_ = precision_of<T>, result.inputs_ = this->inputs();
    return result;
  });
}

void Network::save(const std::filesystem::path& path) const {
  inside_->visit([&]<class T>(const Core<T>& core) {
    write_model(path, ModelOf<T>{core.network, plain_encoding(inputs(), outputs()), inside_->trained});
  });
}

template <class T>
NetworkOf<T>* Network::core() {
  Core<T>* found = std::get_if<Core<T>>(&inside_->core);
  return found ? &found->network : nullptr;
}
template <class T>
const NetworkOf<T>* Network::core() const {
  const Core<T>* found = std::get_if<Core<T>>(&inside_->core);
  return found ? &found->network : nullptr;
}
void Network::changed() {
  ++inside_->changes, inside_->stamp = new_stamp();
  inside_->certified.reset();
  inside_->visit([](auto& core) { core.changed(); });
}
std::uint64_t Network::changes() const { return inside_->changes; }
template NetworkOf<float>* Network::core();
template NetworkOf<double>* Network::core();
template const NetworkOf<float>* Network::core() const;
template const NetworkOf<double>* Network::core() const;

// Never destroyed: threads that still run when the program ends may use it.
ThreadPool& shared_threads() {
  static ThreadPool& threads = *new ThreadPool([] {
    const char* asked = std::getenv("IRN_THREADS");
    std::size_t count = 0;
    if (asked && *asked != '\0' && !read_value(asked, count))
      throw Error("IRN_THREADS is '" + std::string(asked) +
                  "'; give a whole number, 0 for all hardware threads");
    return count;
  }());
  return threads;
}

}  // namespace irn
