#include "irn/train/defaults.h"

#include <algorithm>
#include <vector>

#include "irn/base/options_text.h"
#include "irn/base/text.h"
#include "irn/network/certificate.h"

namespace irn {

namespace {

// A kernel of 5 x 5 is larger than an image of two lines or two columns (Convolution::made_of).
bool take_filters(const ImageShape& image) { return image.height != 2 && image.width != 2; }

}  // namespace

TrainDefaults train_defaults(const TableFacts& table, bool filters) {
  const std::string_view loss = table.task == Task::classification ? CrossEntropy::name : SquaredLoss::name;
  if (!table.image.none() && filters && take_filters(table.image))
    return {.loss = loss,
            .activation = "relu",
            .optimiser = "adamw:rate=0.003",
            .layer = 128,
            .noise = 0,
            .batch = 128,
            .augment = "shift=1,rotate=10,scale=0.1",
            .convolutions = "16k5s2,32k3s2,32k3s2"};
  if (table.images)
    return {.loss = loss,
            .activation = "relu",
            .optimiser = "adamw:rate=0.003",
            .layer = 128,
            .noise = 0.3,
            .batch = 128};
  return {.loss = loss,
          .activation = "sigmoid",
          .optimiser = "adamw:rate=0.006",
          .layer = 64,
          .noise = 0,
          .batch = 32};
}

// At least ten rows: fewer hardly distinguish epochs (nine or ten right are one row apart), and a single row
// has no R2. Below fifty rows, these ten would be more than a fifth of the data. Cross-validation would cost
// as many trainings as it has folds, and judge other networks than the one that is written. So nothing is
// held out there, and scores of the training rows are labelled as such.
double default_validation(std::size_t rows) { return rows >= 100 ? 0.1 : rows >= 50 ? 0.2 : 0; }

// About 9,000 steps, in 30 to 300 epochs. For images about 4,700, which are ten epochs of MNIST's 60,000
// images; fewer images take no longer. After 10 epochs with 1,347 digits of 8 x 8, 93 % of 450 others were
// right; after 100 epochs 97 %, after 300 (8 s) 98 %.
std::size_t default_epochs(const TableFacts& table, std::size_t batch) {
  const std::size_t in_epoch = std::max<std::size_t>(1, table.rows / batch + (table.rows % batch != 0));
  return table.images ? std::clamp<std::size_t>(4700 / in_epoch, 10, 300)
                      : std::clamp<std::size_t>(9000 / in_epoch, 30, 300);
}

double default_certificate(const Architecture& architecture, const Gradient& gradient) {
  return !iteration_of(gradient) && can_be_certified(architecture) ? 0.95 : 0;
}

Architecture table_architecture(std::size_t inputs, std::span<const std::size_t> layers,
                                std::string_view activation, std::size_t outputs,
                                std::string_view recurrence) {
  // As text, whose parser refuses what makes no sense.
  std::string text = std::to_string(inputs);
  for (const std::size_t size : layers) text += "-" + std::to_string(size) + std::string(activation);
  text += "-" + std::to_string(outputs) + "identity/" + std::string(recurrence);
  Architecture result = from_text<Architecture>(text);
  const std::size_t output = result.layers().size();
  if (result.connected(output, output)) result.disconnect(output, output);
  return result;
}

std::string loss_misfit(Task task, const Loss& loss) {
  const bool classes = task == Task::classification;
  if (of_classes(loss) == classes) return "";
  std::vector<std::string_view> fitting;
  for_each_choice<NamedLoss>([&](const auto& each) {
    if (of_classes(NamedLoss(each)) == classes) fitting.push_back(each.name);
  });
  return std::string(name_of(loss)) + " is for " + (classes ? "numbers" : "classes") +
         ", and the targets are " + (classes ? "classes" : "numbers") + "; take " + join(fitting);
}

}  // namespace irn
