#include "apps/irn/check_story.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apps/irn/check_figures.h"
#include "apps/irn/check_vary.h"
#include "irn/data/category-inl.h"
#include "irn/model/assess.h"
#include "irn/model/prediction.h"

namespace irn::app {
namespace {

// One check of a model: fills in a CheckStory, part by part.
template <class T>
class Checker {
 public:
  Checker(ModelOf<T>& model, const CheckSettings& settings)
      : model_(model), settings_(settings), threads_(settings.use.threads) {
    const Architecture& architecture = model.network.architecture();
    story_.model = settings.use.model;
    story_.network = to_text(architecture);
    story_.precision = sizeof(T) == 4 ? "float" : "double";
    story_.solver = to_text(model.settle.solver);
    story_.neurons = architecture.neurons();
    story_.parameters = architecture.parameters();
    story_.tolerance = model.settle.tolerance == 0 ? default_tolerance<T>() : model.settle.tolerance;
    story_.certified = model.settle.certified;
    story_.inputs = model.encoding.input_names();
  }

  CheckStory tell() {
    if (!settings_.use.table.data.empty())
      look_at_table();
    else
      story_.check.network = certificates(model_.network);
    if (!settings_.vary.empty() || !settings_.html.empty()) look_along();
    return std::move(story_);
  }

 private:
  bool small() const { return story_.neurons <= dense_analysis_limit; }

  void look_at_table() {
    story_.data = settings_.use.table.shown();
    use_ = apply_model<T>(settings_.use, model_.encoding, settings_.gradient, {}, threads_);
    const EncodedSamples<T>& samples = *use_.samples;
    story_.dropped = samples.dropped();
    for (std::size_t s = 0; s < samples.size(); ++s) story_.rows.push_back(samples.row(s) + 1);
    const std::vector<std::uint64_t> chosen = chosen_rows();
    story_.check = check(model_.network, samples, {.settle = model_.settle}, threads_);
    choose_rows(chosen.empty() ? worst_samples(story_.check, settings_.closer) : chosen);
    if (!story_.proven() || !chosen.empty()) look_closer_at_rows();
    look_over_time();
    if (settings_.gradient) compare();
  }

  // The rows of --rows, as samples.
  std::vector<std::uint64_t> chosen_rows() const {
    std::vector<std::uint64_t> chosen;
    for (const std::string& word : settings_.rows) {
      std::uint64_t row = 0;
      const bool is_number =
          !word.empty() && word.find_first_not_of("0123456789") == std::string::npos && word.size() < 18;
      if (is_number) row = std::stoull(word);
      const auto found = std::find(story_.rows.begin(), story_.rows.end(), row);
      if (!is_number || row == 0 || row > use_.frame->rows())
        throw Error(
            fmt::format("--rows: there is no row \"{}\"; they go from 1 to {}", word, use_.frame->rows()));
      if (found == story_.rows.end())
        throw Error(fmt::format("--rows: row {} has a missing value and was left out", word));
      chosen.push_back(std::uint64_t(found - story_.rows.begin()));
    }
    return chosen;
  }

  std::vector<T> input_of(std::uint64_t sample) const {
    std::vector<T> x(use_.samples->inputs());
    use_.samples->inputs_as_rows(std::span(&sample, 1), x.data());
    return x;
  }

  RowStory row_story(std::uint64_t sample) const {
    const std::uint64_t row = use_.samples->row(sample);
    RowStory story{
        .sample = sample, .place = use_.frame->place(row), .columns = {}, .closer = {}, .answers = {}};
    for (std::size_t c = 0; c < use_.frame->width(); ++c) {
      const FrameColumn& column = use_.frame->columns()[c];
      const double value = use_.frame->row(row)[c];
      story.columns.emplace_back(column.name, std::isnan(value) ? ""
                                              : column.text     ? column.categories[std::size_t(value)]
                                                                : in_words(value));
    }
    return story;
  }

  // The network's answer in a state.
  std::string answer(const std::vector<double>& state) const {
    const std::size_t first = model_.network.architecture().first_output();
    Prediction prediction;
    decode<double>(model_.encoding, std::span(state).subspan(first), {.outcome = Outcome::settled},
                   Unsettled::empty, prediction);
    if (model_.encoding.task == Task::classification) return std::string(prediction.label);
    std::string text;
    for (const double value : prediction.values)
      text += fmt::format("{}{:.5g}", text.empty() ? "" : ", ", value);
    return text;
  }

  void choose_rows(const std::vector<std::uint64_t>& samples) {
    for (const std::uint64_t sample : samples) story_.closer.push_back(row_story(sample));
    if (!settings_.html.empty())
      if (const std::optional<std::uint64_t> middle = typical_sample()) story_.typical = row_story(*middle);
  }

  void look_closer_at_rows() {
    if (story_.closer.empty()) return;
    if (!small()) {
      story_.notes.push_back(
          fmt::format("with {} neurons other equilibria and folds are not looked for; up to {} they are",
                      story_.neurons, dense_analysis_limit));
      return;
    }
    std::vector<std::uint64_t> samples;
    for (const RowStory& row : story_.closer) samples.push_back(row.sample);
    std::vector<CloserLook> looks =
        look_closer(model_.network, *use_.samples, std::span<const std::uint64_t>(samples),
                    {.settle = model_.settle}, threads_);
    for (std::size_t k = 0; k < looks.size(); ++k) {
      if (looks[k].equilibria)
        for (const FoundEquilibrium& e : looks[k].equilibria->equilibria)
          story_.closer[k].answers.push_back(answer(e.state));
      story_.closer[k].closer = std::move(looks[k]);
    }
  }

  // For all rows of the closer look; only drawn rows keep their states.
  void look_over_time() {
    std::vector<RowStory*> rows;
    for (RowStory& row : story_.closer) rows.push_back(&row);
    if (story_.typical) rows.push_back(&*story_.typical);
    threads_.for_each(rows.size(), [&](std::size_t k, std::size_t) {
      const std::vector<T> x = input_of(rows[k]->sample);
      const PathOptions options{.tolerance = std::min(1e-8, story_.tolerance)};
      rows[k]->path = settling_path(network_problem<T>(model_.network, x), 0, {}, options);
      if (k >= drawn_paths && rows[k] != (story_.typical ? &*story_.typical : nullptr))
        rows[k]->path->way.states.clear();
    });
  }

  std::optional<std::uint64_t> typical_sample() const {
    std::vector<std::uint64_t> order(story_.check.samples.size());
    if (order.empty()) return {};
    for (std::size_t s = 0; s < order.size(); ++s) order[s] = s;
    const auto middle = order.begin() + std::ptrdiff_t(order.size() / 2);
    const auto key = [&](std::uint64_t s) {
      return std::pair(story_.check.samples[s].verdict.evaluations, s);
    };
    std::nth_element(order.begin(), middle, order.end(), [&](auto a, auto b) { return key(a) < key(b); });
    return *middle;
  }

  // --vary: from the first row of the closer look, or from the mean of all inputs.
  void look_along() {
    const Architecture& architecture = model_.network.architecture();
    const RowStory* from = story_.closer.empty() ? nullptr : &story_.closer.front();
    const Vary vary = settings_.vary.empty() ? most_telling(from)
                                             : read_vary(settings_.vary, model_.encoding, architecture);
    if (!small()) return;
    if (settings_.vary.empty() && !architecture.recurrent()) return;
    const std::vector<T> x = from ? input_of(from->sample) : std::vector<T>(architecture.inputs());
    const VaryRange range = settings_.range.empty() ? usual_range(vary, x) : read_range(settings_.range);
    story_.vary = follow<T>(vary, model_.network, model_.encoding, x, range, story_.proven());
    if (from) story_.vary->place = story_.row_name(from->sample);
  }

  Vary most_telling(const RowStory* from) const {
    const StateCheck* state = from && story_.check.samples[from->sample].state
                                  ? &*story_.check.samples[from->sample].state
                                  : nullptr;
    if (!state || !std::isfinite(state->sensitivity)) return {.text = "gain"};
    return vary_of_input(state->input, model_.encoding);
  }

  // A column over its values in the table, and at least three deviations around its mean; a weight over twice
  // its size, at least 2, on both sides.
  VaryRange usual_range(const Vary& vary, const std::vector<T>& x) const {
    if (vary.kind == Vary::Kind::gain) return {0, 2};
    const double present = present_value<T>(vary, model_.network, x);
    if (vary.kind == Vary::Kind::parameter) {
      const double width = 2 * std::max(1.0, std::abs(present));
      return {present - width, present + width};
    }
    double low = -3, high = 3;
    for (std::size_t s = 0; s < story_.rows.size(); ++s) {
      const double value = double(input_of(s)[vary.index]);
      low = std::min(low, value), high = std::max(high, value);
    }
    return {vary.mean + vary.scale * low, vary.mean + vary.scale * high};
  }

  void compare() {
    const std::size_t count = std::min(settings_.gradient_rows, use_.samples->size());
    GradientStory story;
    for (std::size_t k = 0; k < count; ++k) story.samples.push_back(k * use_.samples->size() / count);
    GradientComparisonOptions options{.loss = model_.loss.value_or(loss_of(model_.encoding.task)),
                                      .settle = model_.settle};
    for (const Gradient& gradient : options.gradients) story.names.push_back(to_text(gradient));
    story.comparison = compare_gradients(model_.network, *use_.samples,
                                         std::span<const std::uint64_t>(story.samples), options, threads_);
    story_.gradients = std::move(story);
  }

  ModelOf<T>& model_;
  const CheckSettings& settings_;
  ThreadPool threads_;
  ModelUse<T> use_;
  CheckStory story_;
};

}  // namespace

template <class T>
CheckStory tell_story(ModelOf<T>& model, const CheckSettings& settings) {
  return Checker<T>(model, settings).tell();
}

template CheckStory tell_story(ModelOf<float>&, const CheckSettings&);
template CheckStory tell_story(ModelOf<double>&, const CheckSettings&);

}  // namespace irn::app
