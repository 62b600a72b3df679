// The settings of training that the caller leaves open. They depend on the table.
//
// Chosen on one half of the collection of tables (scripts/real-data; docs/real-data.md shows the other half,
// too) and on MNIST. One certified layer of 64 sigmoid neurons learns smooth, spiral and periodic tables
// alike. Noise on the inputs helps for images only. For small tables the number of steps matters more than
// that of epochs.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "irn/data/encoding.h"
#include "irn/gradient/gradient.h"
#include "irn/network/architecture.h"
#include "irn/train/loss.h"

namespace irn {

// What defaults depend on.
struct TableFacts {
  Task task = Task::regression;
  std::size_t rows = 0;  // that can be used
  bool images = false;
  std::size_t inputs = 0, outputs = 0;  // of the network
  ImageShape image = {};                // of the images, where it is known
};

// In the words of `irn train`'s options.
struct TrainDefaults {
  std::string_view loss, activation, optimiser;
  std::size_t layer = 0;  // neurons of the one hidden layer
  double noise = 0;       // deviation of noise on the inputs
  std::size_t batch = 0;
  std::string_view augment = "none";
  std::string_view convolutions = "none";  // of images; then there is no hidden layer
  double average = 0;
};
// `filters`: whether a network for images may have convolutions, the default ones or others. False if the
// caller asks for a network, or for layers, without any.
TrainDefaults train_defaults(const TableFacts& table, bool filters = true);

// Share of the rows held out to judge by.
double default_validation(std::size_t rows);

std::size_t default_epochs(const TableFacts& table, std::size_t batch);

// Bound of the certificate that training keeps; 0 where there can be none.
double default_certificate(const Architecture& architecture, const Gradient& gradient);

// Layers of these sizes between inputs and unbounded outputs. Outputs have no connections among themselves:
// these would run away first and add nothing.
Architecture table_architecture(std::size_t inputs, std::span<const std::size_t> layers,
                                std::string_view activation, std::size_t outputs,
                                std::string_view recurrence);

// Why the loss does not fit the task; empty if it does. A squared difference means nothing for classes, and
// softmax nothing for numbers.
std::string loss_misfit(Task task, const Loss& loss);

}  // namespace irn
