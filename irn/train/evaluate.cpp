#include "irn/train/evaluate.h"

#include <algorithm>
#include <numeric>

#include "irn/train/score.h"

namespace irn {
namespace {

constexpr std::size_t group = 16;

// Samples whose errors are summed together: few enough that threads share even a small set.
std::size_t part_size_for(std::size_t samples) {
  return std::clamp(samples / 1024 / group, std::size_t{1}, std::size_t{8}) * group;
}

// Parts between two meetings of all threads: few enough that their sums take a few megabytes at most.
std::size_t parts_at_once(std::size_t targets) {
  constexpr std::size_t bytes = 4u << 20;
  return std::clamp<std::size_t>(bytes / (targets * sizeof(AnswerSums)), 64, 2048);
}

// The results of some samples.
struct Part {
  std::span<Score> scores;  // one for each head
  Summary summary;
  double weight = 0;  // of all samples; a score has the weight of the settled ones

  void clear() {
    for (Score& score : scores) score.clear();
  }
  Part& operator+=(const Part& other) {
    for (std::size_t h = 0; h < scores.size(); ++h) scores[h] += other.scores[h];
    summary += other.summary;
    weight += other.weight;
    return *this;
  }
  Evaluation evaluation(const Heads& heads) const {
    Evaluation result{.score = scores[0].value(),
                      .summary = summary,
                      .weight = weight,
                      .answered_weight = scores[0].weight()};
    for (std::size_t h = 0; h < scores.size(); ++h) {
      result.heads.push_back({scores[h].loss(), scores[h].value()});
      result.loss += heads[h].weight * scores[h].loss();
    }
    return result;
  }
};

std::vector<Score> no_scores(const Heads& heads, std::size_t targets) {
  std::vector<Score> scores;
  for (std::size_t h = 0; h < heads.size(); ++h)
    scores.emplace_back(heads[h].loss, heads[h].targets == 0 ? targets : heads[h].targets);
  return scores;
}

// Parts without samples; their scores are in `scores`.
std::vector<Part> make_parts(std::size_t count, const std::vector<Score>& none, std::vector<Score>& scores) {
  std::vector<Part> parts(count);
  scores.reserve(count * none.size());
  for (Part& part : parts) {
    scores.insert(scores.end(), none.begin(), none.end());
    part.scores = std::span(scores).last(none.size());
  }
  return parts;
}

template <class T>
Equilibria<T> no_outputs(const Architecture& architecture, std::size_t samples) {
  const std::size_t outputs = architecture.outputs();
  return {outputs, std::vector<T>(samples * outputs), std::vector<Verdict>(samples)};
}

// Keeps the outputs among the states of the samples from `begin` on.
template <class T>
void keep_outputs(const Architecture& architecture, std::size_t begin, const Equilibria<T>& states,
                  Equilibria<T>& answers) {
  const std::size_t outputs = architecture.outputs(), first = architecture.first_output();
  for (std::size_t s = 0; s < states.size(); ++s) {
    answers.verdicts[begin + s] = states.verdicts[s];
    std::copy_n(states.state(s).data() + first, outputs, answers.states.data() + (begin + s) * outputs);
  }
}

}  // namespace

template <class T>
Evaluation evaluate(Settler<T>& settler, const Samples<T>& samples, const std::vector<Head>& chosen,
                    Equilibria<T>* outputs) {
  if (outputs) *outputs = no_outputs<T>(settler.architecture(), samples.size());
  const Heads heads(settler.architecture(), chosen);
  heads.check_targets(samples.targets());
  const std::size_t targets = samples.targets();
  std::vector<Score> sums = no_scores(heads, targets), scores;
  Part all{sums};
  const std::size_t part_size = part_size_for(samples.size()), stretch = part_size * parts_at_once(targets);
  std::vector<Part> parts =
      make_parts((std::min(stretch, samples.size()) + part_size - 1) / part_size, sums, scores);
  struct Wanted {
    std::vector<std::uint64_t> index;
    std::vector<T> rows, weights;
  };
  std::vector<Wanted> wanted(settler.workers());
  for (std::size_t start = 0; start < samples.size(); start += stretch) {
    const std::size_t count = std::min(stretch, samples.size() - start);
    const auto score_chunk = [&](std::size_t begin, const Equilibria<T>& states, std::size_t worker) {
      auto& [index, rows, weights] = wanted[worker];
      index.resize(states.size()), rows.resize(states.size() * targets), weights.resize(states.size());
      std::iota(index.begin(), index.end(), std::uint64_t(begin));
      samples.targets_as_rows(index, rows.data());
      samples.weights(index, weights.data());
      check_weights<T>(index, weights);
      if (outputs) keep_outputs(settler.architecture(), begin, states, *outputs);
      for (std::size_t s = 0; s < states.size(); s += part_size) {
        const std::size_t size = std::min(part_size, states.size() - s);
        Part& part = parts[(begin - start + s) / part_size];
        part.clear();
        part.summary = summarise(std::span(states.verdicts).subspan(s, size));
        part.weight = std::accumulate(&weights[s], &weights[s] + size, 0.0);
        for (std::size_t h = 0; h < heads.size(); ++h)
          for (std::size_t i = s; i < s + size; ++i) {
            const std::span<const T> right =
                heads.targets(h, std::span<const T>(&rows[i * targets], targets));
            if (states.answered(i))
              part.scores[h].add(heads.outputs(h, states.state(i)), right, double(weights[i]));
            else
              part.scores[h].add_unanswered(right, double(weights[i]));
          }
      }
    };
    settler.settle_parts(samples, start, count, part_size, score_chunk);
    for (std::size_t k = 0; k * part_size < count; ++k) all += parts[k];
  }
  return all.evaluation(heads);
}

template <class T>
Evaluation evaluate(Settler<T>& settler, const Samples<T>& samples, const Loss& loss) {
  return evaluate(settler, samples, {{.loss = loss}});
}

template <class T>
Equilibria<T> settle_outputs(Settler<T>& settler, const Samples<T>& samples) {
  const Architecture& architecture = settler.architecture();
  Equilibria<T> answers = no_outputs<T>(architecture, samples.size());
  const auto keep = [&](std::size_t begin, const Equilibria<T>& states, std::size_t) {
    keep_outputs(architecture, begin, states, answers);
  };
  settler.settle_parts(samples, 0, samples.size(), group, keep);
  return answers;
}

template <class T>
Evaluation evaluate_answers(const Equilibria<T>& answers, const Samples<T>& samples, const Loss& loss) {
  Score score(loss, samples.targets());
  Evaluation result{.summary = summarise(answers.verdicts)};
  std::vector<T> right(samples.targets());
  for (std::uint64_t s = 0; s < samples.size(); ++s) {
    T weight = 1;
    samples.targets_as_rows({&s, 1}, right.data());
    samples.weights({&s, 1}, &weight);
    result.weight += double(weight);
    if (answers.answered(s))
      score.add<T>(answers.state(s), right, double(weight));
    else
      score.add_unanswered<T>(right, double(weight));
  }
  result.loss = score.loss(), result.score = score.value(), result.answered_weight = score.weight();
  result.heads = {{result.loss, result.score}};
  return result;
}

template Evaluation evaluate_answers(const Equilibria<float>&, const Samples<float>&, const Loss&);
template Evaluation evaluate_answers(const Equilibria<double>&, const Samples<double>&, const Loss&);
template Equilibria<float> settle_outputs(Settler<float>&, const Samples<float>&);
template Equilibria<double> settle_outputs(Settler<double>&, const Samples<double>&);
template Evaluation evaluate(Settler<float>&, const Samples<float>&, const std::vector<Head>&,
                             Equilibria<float>*);
template Evaluation evaluate(Settler<double>&, const Samples<double>&, const std::vector<Head>&,
                             Equilibria<double>*);
template Evaluation evaluate(Settler<float>&, const Samples<float>&, const Loss&);
template Evaluation evaluate(Settler<double>&, const Samples<double>&, const Loss&);

}  // namespace irn
