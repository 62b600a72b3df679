#include "apps/irn/train_progress.h"

#include <algorithm>
#include <cmath>
#include <iostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/irn/json_text.h"
#include "apps/irn/terminal.h"
#include "irn/base/text.h"
#include "irn/model/checkpoint.h"

namespace irn::app {
namespace {

std::string rate_text(double rate) {
  if (rate < 1e4) return fmt::format("{:.0f}", rate);
  return rate < 1e6 ? fmt::format("{:.3g} k", rate / 1e3) : fmt::format("{:.3g} M", rate / 1e6);
}

std::vector<std::string> numbers(const EpochRecord& r, const std::string& score_name,
                                 const std::string& judged, double rate, double left) {
  return {fmt::format("loss {:.4g}", std::isnan(r.loss) ? std::abs(r.loss) : r.loss),  // no "-nan"
          fmt::format("{} {:.4g}", judged, r.validation_loss),
          fmt::format("{} {:.4f}", score_name, r.score),
          fmt::format("settled {:.4g} %", 100 * r.settled),
          clock_text(left) + " left",
          fmt::format("evaluations {:.1f}", r.evaluations),
          rate_text(rate) + " samples/s"};
}

// Indices in numbers(), by importance: whether it settles and how long it will take matter more than a second
// loss.
constexpr std::size_t by_weight[] = {2, 3, 4, 0, 1, 5, 6};

// The numbers that fit into `room` characters, in their own order, each after two spaces.
std::string that_fit(const std::vector<std::string>& numbers, std::size_t room) {
  std::vector<bool> fits(numbers.size());
  std::size_t used = 0;
  for (const std::size_t k : by_weight) {
    used += 2 + numbers[k].size();
    if (used > room) break;
    fits[k] = true;
  }
  std::string text;
  for (std::size_t k = 0; k < numbers.size(); ++k)
    if (fits[k]) text += "  " + numbers[k];
  return text;
}

}  // namespace

void TrainProgress::say(const std::string& line) {
  if (talk_ == Talk::lines) std::cerr << one_line(line) << "\n";
}

void TrainProgress::warn(const std::string& line) {
  if (talk_ == Talk::json)
    std::cerr << json_text({{"note", line}});
  else
    std::cerr << (talk_ == Talk::quiet ? "irn: " : "") << one_line(line) << "\n";
}

void TrainProgress::finish() {
  if (bar_) std::cerr << "\n";
  bar_ = false;
}

void TrainProgress::epoch_line(const EpochRecord& record, std::size_t epochs, double rate, double left) {
  std::cerr << fmt::format("epoch {}/{}", record.epoch, epochs);
  for (const std::string& number : numbers(record, score_name_, judged_, rate, left))
    std::cerr << "  " << number;
  std::cerr << (record.best ? "  best" : "") << "\n";
}

// The numbers first, then a bar over the rest of the line, within limits.
void TrainProgress::draw_bar(std::size_t done, std::size_t total, const EpochRecord* last, std::size_t epochs,
                             double rate, double left) {
  constexpr std::size_t shortest = 8, longest = 20;
  const std::string place = fmt::format("{}/{}", last ? last->epoch : 0, epochs);
  const std::size_t width = terminal_width(), around = place.size() + 4;  // brackets, two spaces at the ends
  const std::size_t room = width > around + shortest ? width - around - shortest : 0;
  const std::string text = last ? that_fit(numbers(*last, score_name_, judged_, rate, left), room) : "";
  const std::size_t bar = std::min(longest, shortest + room - std::min(room, text.size()));
  const std::size_t filled = total == 0 ? bar : done * bar / total;
  std::cerr << rewrite_line << "[" << std::string(filled, '#') << faint(std::string(bar - filled, '-'))
            << "] " << bold(place) << text << std::flush;
  bar_ = true;
}

namespace {

template <class T>
double seconds_of(const Fit<T>& fit) {
  double seconds = fit.sums().seconds;
  for (const EpochRecord& record : fit.records()) seconds += record.seconds;
  return seconds;
}

}  // namespace

template <class T>
void TrainProgress::step(const Fit<T>& fit) {
  const std::vector<EpochRecord>& records = fit.records();
  if (!counted_) {  // a resumed training counts from here
    counted_ = true;
    shown_ = records.size() - (fit.sums().steps == 0 && !records.empty() ? 1 : 0);
    if (fit.steps_done() > 1) steps_at_start_ = fit.steps_done(), seconds_at_start_ = seconds_of(fit);
    next_ = Clock::now();
  }
  const bool ended = shown_ < records.size();
  const Clock::time_point now = Clock::now();
  if (talk_ == Talk::quiet || (!ended && (talk_ == Talk::json || !on_terminal() || now < next_))) return;
  next_ = now + std::chrono::milliseconds(100);
  const std::size_t epochs = fit.options().epochs, total = epochs * fit.steps_per_epoch(),
                    done = fit.steps_done();
  const bool since = done > steps_at_start_;  // else over all steps, those before resuming included
  const double per_step = (seconds_of(fit) - (since ? seconds_at_start_ : 0)) /
                          std::max(1.0, double(done - (since ? steps_at_start_ : 0)));
  const double rate = double(fit.samples()) / (per_step * double(fit.steps_per_epoch()));
  const double left = fit.ended() ? 0 : per_step * double(total - done);
  if (talk_ == Talk::lines && on_terminal())
    draw_bar(done, total, records.empty() ? nullptr : &records.back(), epochs, rate, left);
  else
    for (std::size_t i = shown_; i < records.size(); ++i)
      talk_ == Talk::json ? void(std::cerr << to_json_line(records[i], held_out_))
                          : epoch_line(records[i], epochs, rate, left);
  shown_ = records.size();
}

template void TrainProgress::step(const Fit<float>&);
template void TrainProgress::step(const Fit<double>&);

}  // namespace irn::app
