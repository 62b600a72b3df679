// Latency of one prediction in a program: raw values in, scaled and settled, decoded outputs out; one thread.
//   predict        networks trained with the exact gradient, one row at a time
// Counters: settled (share of the timed rows), agrees (as in bench_settle: answers are checked before
// timing).
#include "bench/harness.h"
#include "irn/model/predictor.h"

namespace irn::bench {
namespace {

// Compares the predictor with the settler, which was compared with the flow.
template <class T>
void check(Predictor& predictor, const Workload<T>& work, const Equilibria<T>& states,
           const std::vector<std::vector<double>>& rows) {
  const std::size_t first = work.network.architecture().first_output();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Prediction p = predictor.predict(rows[i]);
    if (p.settled() != states.settled(i) || (p.settled() && p.values[0] != double(states.state(i)[first])))
      throw Error("wrong answers, nothing timed: row " + std::to_string(i) +
                  " is predicted otherwise than settled");
  }
}

template <class T>
std::vector<std::vector<double>> raw_rows(const Workload<T>& work, std::size_t count) {
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i < count; ++i) {
    const auto row = work.samples.input_row(i);
    rows.emplace_back(row.begin(), row.end());
  }
  return rows;
}

template <class T>
void predict(benchmark::State& state, std::size_t hidden) {
  Workload<T>& work = workload<T>(hidden, NetworkKind::exact);
  Settler<T> settler(work.network, {}, pool(1));
  Equilibria<T> states;
  const Agreement agreement = verify(work, settler, states);
  const Architecture& architecture = work.network.architecture();
  Predictor predictor(
      ModelOf<T>{work.network, plain_encoding(architecture.inputs(), architecture.outputs())});
  const auto rows = raw_rows(work, 256);
  check(predictor, work, states, rows);

  Prediction out;
  std::size_t next = 0, settled = 0;
  for (auto _ : state) {
    predictor.predict(rows[next], out);
    settled += out.settled();
    next = (next + 1) % rows.size();
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["settled"] = double(settled) / double(state.iterations());
  state.counters["agrees"] = agreement.share();
}

template <class T>
void register_type() {
  for (std::size_t hidden : {5, 20, 64, 256})
    add(label("predict", hidden, type_name<T>), benchmark::kMicrosecond, 1, predict<T>, hidden);
}

void register_all() {
  register_type<float>();
  register_type<double>();
}

}  // namespace
}  // namespace irn::bench

int main(int argc, char** argv) { return irn::bench::run(argc, argv, irn::bench::register_all); }
