// The criteria by which a search is judged.
#pragma once

namespace irn {

template <class T>
struct Rules {
  T tolerance;           // an unknown is at rest if |F(z) - z|_i <= tolerance * max(floor, |z_i|)
  T floor = T(1);        // unknowns smaller than this count as this large
  bool confirm = true;   // ask what is at rest whether it attracts
  bool bounded = false;  // no value of F is larger than 1: a state cannot run away

  template <class U>
  constexpr Rules<U> in() const {
    return {static_cast<U>(tolerance), static_cast<U>(floor), confirm, bounded};
  }
};

}  // namespace irn
