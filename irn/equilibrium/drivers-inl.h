// The driver of every solver, over networks. They are compiled in explicit.cpp and implicit.cpp, half of them
// in each. A solver missing here still works and is compiled where it is used.
#if defined(IRN_EQUILIBRIUM_DRIVERS_INL_H_) == defined(IRN_LANES_TOGGLE)
#ifdef IRN_EQUILIBRIUM_DRIVERS_INL_H_
#undef IRN_EQUILIBRIUM_DRIVERS_INL_H_
#else
#define IRN_EQUILIBRIUM_DRIVERS_INL_H_
#endif

#include "irn/equilibrium/all_solvers-inl.h"
#include "irn/network/network_map-inl.h"

#undef IRN_EXPLICIT_DRIVERS
#undef IRN_IMPLICIT_DRIVERS
#undef IRN_NARROW_DRIVERS
#define IRN_EXPLICIT_DRIVERS(X, V) \
  X(V, FixedPoint)                 \
  X(V, RungeKutta4) X(V, RungeKutta45) X(V, Anderson) X(V, Broyden) X(V, Iterate) X(V, Reversible)
#define IRN_IMPLICIT_DRIVERS(X, V) \
  X(V, Newton) X(V, PseudoTransient) X(V, Rosenbrock) X(V, NewtonKrylov) X(V, RosenbrockKrylov)
// The solvers that may run in half a register.
#if HWY_MAX_BYTES > 16
#define IRN_NARROW_DRIVERS(X) X(HalfFloats, Rosenbrock) X(HalfDoubles, Rosenbrock)
#else
#define IRN_NARROW_DRIVERS(X)
#endif

IRN_LANES_BEGIN

#define IRN_DRIVER(V, Options) extern template class Driver<V, Options, NetworkMap<V>>;
IRN_EXPLICIT_DRIVERS(IRN_DRIVER, Floats)
IRN_EXPLICIT_DRIVERS(IRN_DRIVER, Doubles)
IRN_IMPLICIT_DRIVERS(IRN_DRIVER, Floats)
IRN_IMPLICIT_DRIVERS(IRN_DRIVER, Doubles)
IRN_NARROW_DRIVERS(IRN_DRIVER)
#undef IRN_DRIVER

IRN_LANES_END

#endif
