#include "apps/irn/train_progress.h"

#include <iostream>

#include <fmt/format.h>

#include "apps/irn/terminal.h"
#include "irn/model/checkpoint.h"

namespace irn::app {
namespace {

std::string numbers(const EpochRecord& r, const std::string& score_name, double rate, double left) {
  return fmt::format(
      "loss {:.4g}  validation {:.4g}  {} {:.4f}  settled {:.4g} %  evaluations {:.1f}  {:.3g} samples/s  {} "
      "left",
      r.loss, r.validation_loss, score_name, r.score, 100 * r.settled, r.evaluations, rate, clock_text(left));
}

}  // namespace

void TrainProgress::say(const std::string& line) {
  if (talk_ == Talk::lines) std::cerr << line << "\n";
}

void TrainProgress::finish() {
  if (bar_) std::cerr << "\n";
  bar_ = false;
}

void TrainProgress::epoch_line(const EpochRecord& record, std::size_t epochs, double rate, double left) {
  std::cerr << fmt::format("epoch {}/{}  ", record.epoch, epochs) << numbers(record, score_name_, rate, left)
            << (record.best ? "  best" : "") << "\n";
}

void TrainProgress::draw_bar(std::size_t done, std::size_t total, const EpochRecord* last, std::size_t epochs,
                             double rate, double left) {
  constexpr std::size_t width = 20;
  const std::size_t filled = total == 0 ? width : done * width / total;
  std::cerr << rewrite_line << "[" << std::string(filled, '#') << faint(std::string(width - filled, '-'))
            << "] " << bold(fmt::format("{}/{}", last ? last->epoch : 0, epochs)) << "  "
            << (last ? numbers(*last, score_name_, rate, left) : "") << std::flush;
  bar_ = true;
}

template <class T>
void TrainProgress::step(const Fit<T>& fit) {
  const std::vector<EpochRecord>& records = fit.records();
  if (!counted_) {  // a resumed training counts from here
    counted_ = true;
    shown_ = records.size() - (fit.sums().steps == 0 && !records.empty() ? 1 : 0);
    steps_at_start_ = fit.steps_done() - 1;
    next_ = Clock::now();
    for (std::size_t i = 0; i < shown_; ++i) seconds_at_start_ += records[i].seconds;
  }
  const bool ended = shown_ < records.size();
  const Clock::time_point now = Clock::now();
  if (talk_ == Talk::quiet || (!ended && (talk_ == Talk::json || !on_terminal() || now < next_))) return;
  next_ = now + std::chrono::milliseconds(100);
  double seconds = fit.sums().seconds - seconds_at_start_;
  for (const EpochRecord& record : records) seconds += record.seconds;
  const std::size_t epochs = fit.options().epochs, total = epochs * fit.steps_per_epoch(),
                    done = fit.steps_done();
  const double steps = double(done - steps_at_start_), per_step = seconds / std::max(1.0, steps);
  const double rate = double(fit.samples()) / (per_step * double(fit.steps_per_epoch()));
  const double left = fit.ended() ? 0 : per_step * double(total - done);
  if (talk_ == Talk::lines && on_terminal())
    draw_bar(done, total, records.empty() ? nullptr : &records.back(), epochs, rate, left);
  else
    for (std::size_t i = shown_; i < records.size(); ++i)
      talk_ == Talk::json ? void(std::cerr << to_json_line(records[i]))
                          : epoch_line(records[i], epochs, rate, left);
  shown_ = records.size();
}

template void TrainProgress::step(const Fit<float>&);
template void TrainProgress::step(const Fit<double>&);

}  // namespace irn::app
