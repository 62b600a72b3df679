// What `irn sweep` tries: options of `irn train` by name, in TOML.
//   layers = ["32", "64-32"]                              one of these
//   rate = { low = 1e-3, high = 0.1, log = true }         a number of this range, uniform or log-uniform;
//                                                         a grid needs `steps`
//   batch = { low = 8, high = 128, log = true, whole = true }
//   clip = 0.5                                            always this
// A trial is one choice for every option, as TOML that `irn train --config` reads; no two trials are alike.
// Grids go through all combinations, the last option fastest. Random trials are a pure function of the seed
// and their number.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace irn::app {

struct SpaceOption {
  std::string key, place;            // the place: "space.toml, line 3"
  std::vector<std::string> choices;  // as TOML; of a range: its steps, if it has any
  bool range = false, log = false, whole = false;
  double low = 0, high = 0;

  bool varies() const { return range || choices.size() > 1; }
};

struct Trial {
  std::size_t number = 0;           // counted from 1
  std::vector<std::string> values;  // one for each option, as TOML

  std::string toml(const std::vector<SpaceOption>& space) const;
};

// irn::Error with the line if the text is no space.
std::vector<SpaceOption> parse_space(const std::string& text, const std::string& source);

// irn::Error for a range without steps, and for more than `most` combinations.
std::vector<Trial> grid_trials(const std::vector<SpaceOption>& space, std::size_t most);
// All different. If the space has no more than `count`, all of them in the order of a grid; fewer, too, if
// thousands of draws find no new one.
std::vector<Trial> random_trials(const std::vector<SpaceOption>& space, std::size_t count,
                                 std::uint64_t seed);

// A value as people read it: 0.01 of the TOML 0.01, tanh of "tanh".
std::string plain_value(const std::string& toml);

}  // namespace irn::app
