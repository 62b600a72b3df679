// The front door of irn: implicit recurrent networks, whose answer is the state in which their own connections come to rest,
//   z = f(A z + B x + b)
// This header is all that most programs need; docs/library.md goes through it with three of them.
//
//   Network      a network that owns its parameters, of either precision: settle, forward, backward, save, load
//   Training     steps of a ready-made training loop; Optimiser for a loop of one's own
//   TableTraining  from a table (read_table) to a model, as `irn train` does it
//   Predictor    a trained model: from values as the data have them to answers
//   Problem      a map of one's own, z = F(z): settle(), and the gradient of its solution
//   check        what the equilibria of a network are worth: stability, distance to the limit and to a fold, other equilibria, certificates
//   stability, trajectory, branches   of one state; over time; over an input
//   find_devices  which devices there are, for `.device` among the options
//   OwnOperator  a kind of block of one's own, for A and B
//
// Caller's mistakes throw irn::Error: one line, what is wrong and what to do. Numerical outcomes are values that must be looked at: every
// sample has a Verdict, which says whether it has an answer.
#pragma once

#include "irn/base/error.h"
#include "irn/base/version.h"
#include "irn/data/read_table.h"
#include "irn/engine/devices.h"
#include "irn/equilibrium/problem.h"
#include "irn/front/analysis.h"
#include "irn/front/check.h"
#include "irn/front/network.h"
#include "irn/front/table_training.h"
#include "irn/front/training.h"
#include "irn/front/view.h"
#include "irn/gradient/problem_gradient.h"
#include "irn/model/predictor.h"
#include "irn/network/own_operator.h"
