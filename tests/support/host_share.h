// Threads of the host in place of the threads of a device that share a state
// (irn/engine/cuda/shared_state-inl.h).
#pragma once

#include <algorithm>
#include <barrier>
#include <cstddef>
#include <thread>
#include <vector>

namespace irn {

// Each thread writes its value, waits for the others, and reads theirs.
template <std::size_t count>
struct HostShare {
  static constexpr std::size_t threads = count;
  template <std::size_t>
  using Some = HostShare;
  template <class T, class Find>
  static T by_some(const Find& find) {
    return find();
  }
  inline static thread_local std::size_t own_rank = 0;
  inline static std::barrier<> meeting{count};
  inline static double board[count];

  // Runs `what` in each of the threads.
  template <class Do>
  static void run(const Do& what) {
    std::vector<std::jthread> team;
    for (std::size_t r = 0; r < count; ++r) team.emplace_back([&what, r] { own_rank = r, what(); });
  }
  static std::size_t rank() { return own_rank; }
  static void meet() { meeting.arrive_and_wait(); }
  template <class T, class Read>
  static auto exchanged(T here, const Read& read) {
    board[own_rank] = double(here);
    meeting.arrive_and_wait();
    const auto found = read();
    meeting.arrive_and_wait();
    return found;
  }
  static bool any(bool here) {
    return exchanged(here, [] {
      for (const double other : board)
        if (other != 0) return true;
      return false;
    });
  }
  template <class T, class Combine>
  static T together(T here, const Combine& combine) {
    return exchanged(here.v, [&] {
      using Number = typename T::Scalar;
      T all[count];
      for (std::size_t t = 0; t < count; ++t) all[t] = T(static_cast<Number>(board[t]));
      for (std::size_t distance = count / 2; distance > 0; distance /= 2) {  // in the order of a warp
        T next[count];
        for (std::size_t t = 0; t < count; ++t) next[t] = combine(all[t], all[t ^ distance]);
        std::copy_n(next, count, all);
      }
      return all[own_rank];
    });
  }
  template <class T>
  static T of(T here, std::size_t from) {
    return exchanged(here.v, [&] { return T(static_cast<typename T::Scalar>(board[from])); });
  }
};

}  // namespace irn
