// The progress of a training, on standard error: a bar that rewrites itself on a terminal, one line for each
// epoch elsewhere, or one line of JSON for each epoch.
#pragma once

#include <chrono>
#include <string>

#include "irn/train/fit.h"

namespace irn::app {

enum class Talk { lines, json, quiet };

class TrainProgress {
 public:
  // `score_name`: the name of a record's score: "accuracy", "R2". `held_out`: it is the score of the rows
  // held out, not of the training rows at the end of the epoch.
  TrainProgress(Talk talk, const std::string& score_name, bool held_out)
      : talk_(talk),
        held_out_(held_out),
        score_name_((held_out ? "" : "training ") + score_name),
        judged_(held_out ? "validation" : "at its end") {}

  // Prints a line about what happens next; not with JSON.
  void say(const std::string& line);
  // Prints a line about a possible mistake in the data, even if quiet.
  void warn(const std::string& line);
  // To be called after every step, also after the last of an epoch; decides by the clock whether to print.
  template <class T>
  void step(const Fit<T>& fit);
  // Moves the bar out of the way of what is printed next.
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
