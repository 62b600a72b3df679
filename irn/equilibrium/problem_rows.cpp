#include "irn/equilibrium/problem_rows.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "irn/base/error.h"
#include "irn/base/fiber.h"

namespace irn {
namespace {

constexpr std::size_t kinds = 4;  // of questions (Ask)

// How many unknowns justify waking another thread between two calls; fewer are done before it is awake.
constexpr std::size_t numbers_of_a_thread = 16 * 1024;
constexpr bool has_direction(std::size_t kind) { return kind >= std::size_t(Ask::product); }

struct RowBlock {
  std::vector<std::size_t> index;
  std::vector<double> z, v;

  std::size_t rows() const { return index.size(); }
  void clear() { index.clear(), z.clear(), v.clear(); }
  RowCalls::Rows add(std::size_t kind, std::size_t count, std::size_t n) {
    const std::size_t old = rows(), now = old + count;
    index.resize(now), z.resize(now * n), v.resize(has_direction(kind) ? now * n : 0);
    return {index.data() + old, z.data() + old * n, v.data() + (has_direction(kind) ? old * n : 0)};
  }
  void add(const RowBlock& other) {
    index.insert(index.end(), other.index.begin(), other.index.end());
    z.insert(z.end(), other.z.begin(), other.z.end());
    v.insert(v.end(), other.v.begin(), other.v.end());
  }
};

std::size_t answer_size(std::size_t kind, std::size_t n) { return Ask(kind) == Ask::jacobian ? n * n : n; }

// Calls the caller's function; `out` receives the rows of the answer.
void ask_caller(const BatchProblem& problem, std::size_t kind, const RowBlock& rows,
                std::vector<double>& out) {
  out.resize(rows.rows() * answer_size(kind, problem.size));
  switch (Ask(kind)) {
    case Ask::value:
      return problem.map(rows.index, rows.z, out);
    case Ask::jacobian:
      return problem.jacobian(rows.index, rows.z, out);
    case Ask::product:
      return problem.jacobian_times(rows.index, rows.z, rows.v, out);
    case Ask::transposed:
      return problem.transposed_times(rows.index, rows.z, rows.v, out);
  }
}

class DirectCalls final : public RowCalls {
 public:
  explicit DirectCalls(const BatchProblem& problem) : problem_(problem) {}
  Rows room(Ask ask, std::size_t count) override {
    kind_ = std::size_t(ask);
    rows_.clear();
    return rows_.add(kind_, count, problem_.size);
  }
  const double* answer() override {
    ask_caller(problem_, kind_, rows_, out_);
    return out_.data();
  }

 private:
  const BatchProblem& problem_;
  std::size_t kind_ = 0;
  RowBlock rows_;
  std::vector<double> out_;
};

// The groups that one task of the pool advances from call to call, and the rows that they ask about.
class Share {
 public:
  // Groups first, first + every, ... below `end`, on `stacks` stacks.
  Share(std::size_t unknowns, std::size_t first, std::size_t every, std::size_t end, std::size_t stacks,
        const MakeWork& make)
      : n_(unknowns), next_(first), every_(every), end_(end) {
    for (std::size_t k = 0; k < stacks; ++k) seats_.push_back(std::make_unique<Seat>(*this, make));
  }

  void advance() {
    for (RowBlock& rows : asked_) rows.clear();
    std::erase_if(seats_, [](const std::unique_ptr<Seat>& seat) { return !seat->fiber.resume(); });
  }
  const RowBlock& asked(std::size_t kind) const { return asked_[kind]; }
  // Receives the answers to this share's rows; returns where the next share's begin.
  const double* take(std::size_t kind, const double* answers) {
    answers_[kind] = answers;
    return answers + asked_[kind].rows() * answer_size(kind, n_);
  }

 private:
  struct Seat final : RowCalls {
    Seat(Share& own, const MakeWork& make)
        : share(own), fiber([this, &make](Fiber&) {
            const std::unique_ptr<GroupWork> work = make(*this);
            while (share.next_ < share.end_)
              work->run(std::exchange(share.next_, share.next_ + share.every_));
          }) {}
    Rows room(Ask ask, std::size_t count) override {
      kind = std::size_t(ask);
      first = share.asked_[kind].rows();
      return share.asked_[kind].add(kind, count, share.n_);
    }
    const double* answer() override {
      fiber.wait();
      return share.answers_[kind] + first * answer_size(kind, share.n_);
    }
    Share& share;
    std::size_t kind = 0, first = 0;
    Fiber fiber;
  };

  std::size_t n_, next_, every_, end_;
  std::array<RowBlock, kinds> asked_;
  std::array<const double*, kinds> answers_{};
  // Last: its destructor unwinds unfinished work, which uses the members above.
  std::vector<std::unique_ptr<Seat>> seats_;
};

class Together {
 public:
  Together(const BatchProblem& problem, std::size_t groups, std::size_t at_once, std::size_t shares,
           const MakeWork& make)
      : problem_(problem) {
    for (std::size_t s = 0; s < shares; ++s) {
      const std::size_t own = (groups - s + shares - 1) / shares;
      shares_.push_back(
          std::make_unique<Share>(problem.size, s, shares, groups, std::min(own, at_once / shares), make));
    }
  }

  // Runs all groups to their next question, or to their end.
  void advance(ThreadPool& threads) {
    threads.for_each(shares_.size(), [&](std::size_t s, std::size_t) { shares_[s]->advance(); });
  }

  // Answers all questions; returns whether there were any.
  bool answer() {
    bool any = false;
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      const RowBlock& rows = gathered(kind);
      if (rows.rows() == 0) continue;
      any = true;
      ask_caller(problem_, kind, rows, answers_[kind]);
      const double* answers = answers_[kind].data();
      for (const auto& share : shares_) answers = share->take(kind, answers);
    }
    return any;
  }

 private:
  const RowBlock& gathered(std::size_t kind) {
    if (shares_.size() == 1) return shares_[0]->asked(kind);
    all_.clear();
    for (const auto& share : shares_) all_.add(share->asked(kind));
    return all_;
  }

  const BatchProblem& problem_;
  RowBlock all_;
  std::array<std::vector<double>, kinds> answers_;
  std::vector<std::unique_ptr<Share>> shares_;
};

BatchProblem::Product in_rows(const Problem::Product& product, std::size_t n) {
  if (!product) return {};
  return [&product, n](auto index, auto z, auto v, auto out) {
    for (std::size_t k = 0; k < index.size(); ++k)
      product(index[k], z.subspan(k * n, n), v.subspan(k * n, n), out.subspan(k * n, n));
  };
}

}  // namespace

void run_alone(const BatchProblem& problem, std::size_t groups, ThreadPool& threads, const MakeWork& make) {
  struct Worker {
    std::unique_ptr<RowCalls> calls;
    std::unique_ptr<GroupWork> work;
  };
  std::vector<Worker> workers(threads.size());
  threads.for_each(groups, [&](std::size_t group, std::size_t w) {
    if (!workers[w].work) {
      workers[w].calls = std::make_unique<DirectCalls>(problem);
      workers[w].work = make(*workers[w].calls);
    }
    workers[w].work->run(group);
  });
}

void run_together(const BatchProblem& problem, std::size_t groups, std::size_t at_once, ThreadPool& threads,
                  const MakeWork& make) {
  if (groups == 0) return;
  const std::size_t worth = std::max<std::size_t>(1, groups * problem.size / numbers_of_a_thread);
  Together together(problem, groups, at_once, std::min({threads.size(), groups, at_once, worth}), make);
  do together.advance(threads);
  while (together.answer());
}

std::size_t groups_at_once(std::size_t bytes) {
  constexpr std::size_t memory = std::size_t{256} << 20, most = 1024;  // 4,096 rows of four lanes
  return std::clamp<std::size_t>(memory / std::max(bytes, std::size_t{1}), 1, most);
}

BatchProblem in_rows(const Problem& p) {
  const std::size_t n = p.size;
  BatchProblem rows{.size = n, .parameters = p.parameters};
  if (p.map)
    rows.map = [&p, n](auto index, auto z, auto f) {
      for (std::size_t k = 0; k < index.size(); ++k)
        p.map(index[k], z.subspan(k * n, n), f.subspan(k * n, n));
    };
  if (p.jacobian)
    rows.jacobian = [&p, n](auto index, auto z, auto jacobian) {
      for (std::size_t k = 0; k < index.size(); ++k)
        p.jacobian(index[k], z.subspan(k * n, n), jacobian.subspan(k * n * n, n * n));
    };
  if (p.start)
    rows.start = [&p, n](auto index, auto z) {
      for (std::size_t k = 0; k < index.size(); ++k) p.start(index[k], z.subspan(k * n, n));
    };
  rows.jacobian_times = in_rows(p.jacobian_times, n);
  rows.transposed_times = in_rows(p.transposed_times, n);
  if (p.parameter_product)
    rows.parameter_product = [&p, n](auto index, auto z, auto u, auto out) {
      for (std::size_t k = 0; k < index.size(); ++k)
        p.parameter_product(index[k], z.subspan(k * n, n), u.subspan(k * n, n), out);
    };
  return rows;
}

void check(const BatchProblem& problem) {
  if (problem.size == 0) throw Error("a problem needs at least one unknown; its size is 0");
  if (!problem.map) throw Error("a problem needs its map z -> F(z); none was given");
}

}  // namespace irn
