// A training as it goes, on standard error: a bar that rewrites itself on a terminal, a line an epoch elsewhere, or an
// epoch a line of JSON.
#pragma once

#include <chrono>
#include <string>

#include "irn/train/fit.h"

namespace irn::app {

enum class Talk { lines, json, quiet };

class TrainProgress {
 public:
  // `score_name` is what the score of a record is called: "accuracy", "R2"; `held_out`: it is that of rows held out, else of the
  // training rows when the weights rest.
  TrainProgress(Talk talk, const std::string& score_name, bool held_out)
      : talk_(talk),
        held_out_(held_out),
        score_name_((held_out ? "" : "training ") + score_name),
        judged_(held_out ? "validation" : "at its end") {}

  // One line about what is going to happen; not for JSON.
  void say(const std::string& line);
  // One line about the data that may be a mistake in it: however little was asked for, it is said.
  void warn(const std::string& line);
  // After every step, and after the step that ended an epoch; looks at the clock itself.
  template <class T>
  void step(const Fit<T>& fit);
  // The bar is not in the way of what is printed next.
  void finish();

 private:
  void epoch_line(const EpochRecord& record, std::size_t epochs, double rate, double left);
  void draw_bar(std::size_t done, std::size_t total, const EpochRecord* last, std::size_t epochs, double rate,
                double left);

  using Clock = std::chrono::steady_clock;
  Talk talk_;
  bool held_out_;
  std::string score_name_, judged_;
  std::size_t shown_ = 0;  // records
  bool counted_ = false;
  double seconds_at_start_ = 0;
  std::size_t steps_at_start_ = 0;
  bool bar_ = false;
  Clock::time_point next_ = Clock::now();
};

}  // namespace irn::app
