// Includes every solver of the list (solver.h).
#include "irn/equilibrium/anderson-inl.h"
#include "irn/equilibrium/broyden-inl.h"
#include "irn/equilibrium/driver-inl.h"
#include "irn/equilibrium/explicit-inl.h"
#include "irn/equilibrium/implicit-inl.h"
#include "irn/equilibrium/iterate-inl.h"
#include "irn/equilibrium/rosenbrock-inl.h"
