// The options of a training, for --help, the environment and TOML.
#include "apps/irn/device_setting.h"
#include "apps/irn/train_settings.h"
#include "irn/base/options_text.h"
#include "irn/base/text.h"

namespace irn::app {
namespace {

template <class Variant>
std::string known_names() {
  const std::vector<std::string_view> all = names<Variant>();
  return join(all);
}

}  // namespace

void TrainSettings::declare(Settings& settings) {
  declare_training(settings);
  declare_run(settings);
}

void TrainSettings::declare_training(Settings& settings) {
  settings.group("Data")
      .add("target", &target, "Columns to predict (label for IDX images)")
      .add("task", &task,
           "Kind of task: auto, regression, classification; auto: as the target suggests, and irn says which")
      .add("inputs", &inputs, "Columns to predict from; by default all others")
      .add("exclude", &exclude, "Columns to leave out of the inputs, such as names or row numbers")
      .add(
          "missing", &missing,
          "What to do with missing values: refuse, mean, drop; mean: use the mean of the column; drop: leave "
          "the row out")
      .add("unknown", &unknown,
           "What to do, when predicting, with texts that training has not seen: refuse, zeros; zeros: count "
           "them as none of the known ones")
      .add("scaling", &scaling,
           "How inputs are scaled to mean 0 and deviation 1: auto, columns, common, none; columns: each by "
           "itself; common: all together; auto: common for images, else columns")
      .add("images", &images,
           "Shape of rows that are images, as in 28x28 or, with channels, 3x32x32; auto: as the file says "
           "(IDX, arrays of three or four axes); none: not images")
      .called("HxW")
      .add("validation", &validation,
           "Share of the rows to hold out and judge by, or a table of such rows; auto: 0.1, with fewer than "
           "100 rows 0.2, with fewer than 50 none")
      .called("SHARE")
      .add("weights", &weights,
           "Column that says how much each row counts; 2: as if the row were there twice")
      .called("COLUMN")
      .add("class-weights", &class_weights,
           "How much the rows of a class count in training: balanced (all classes alike), or as in "
           "no=1,yes=5 (1 for classes not named)");
  table.declare(settings);
  settings.group("Columns")
      .add("dates", &dates,
           "What dates become as inputs: " + join(date_part_names) + "; days: days since 1970, as one number")
      .add("date-order", &date_order,
           "What comes first in dates like 05/03/2024: auto, day, month; auto: as the dates of the column "
           "tell, else they stay text")
      .add("categories", &categories,
           "Inputs for columns with many texts: all (one per text, at most 1,000), frequent:N (one for each "
           "of the N most frequent; the others share one) or hashed:N (all texts share N)");
  settings.group("Network")
      .add("from", &from,
           "Model, or folder of a training, to start from; its weights, its network and how it reads columns "
           "are taken over")
      .called("MODEL")
      .add(
          "convolutions", &convolutions,
          "Layers of filters before the hidden layers, for images; as in 32k5s2,64k3 (32 filters of 5 x 5 "
          "with stride 2, then 64 of 3 x 3) or 16k3,pool2; none; auto: 16k5s2,32k3s2,32k3s2 for images, else "
          "none")
      .called("NkN,..")
      .add("layers", &layers,
           "Neurons of the hidden layers, as in 64 or 64-32; 0: none; auto: 64, for images 128, after "
           "convolutions 0")
      .called("N-N-..")
      .add("activation", &activation,
           "Activation of the hidden layers: " + join(activation_names) + "; auto: sigmoid, for images relu")
      .add("recurrence", &recurrence,
           "Recurrent connections of the hidden layers: " + join(recurrence_names) +
               "; lateral=conv1: between the last layer's filters at each position")
      .add("architecture", &architecture,
           "The whole network instead, as in 4-16tanh-3identity/full (docs/library.md)")
      .called("TEXT")
      .add("start", &start,
           "Initial weights: scaled, paper; scaled: to the width of the layers; paper: as in the paper");
  settings.group("Equilibrium")
      .add("solver", &solver, "How equilibria are found: " + known_names<Solver>())
      .add("tolerance", &tolerance,
           "Largest residual of a settled equilibrium; 0: 1e-5 in float, 1e-8 in double")
      .add("device", &device, device_help);
  settings.group("Training")
      .add("loss", &loss,
           "What training minimises: " + known_names<NamedLoss>() +
               ", with options as in huber:delta=0.5; auto: squared for numbers, cross-entropy for classes")
      .add("gradient", &gradient,
           "How the gradient is computed: " + known_names<Gradient>() +
               ", with options as in unrolled:steps=20")
      .add("optimiser", &optimiser,
           "Optimiser: " + known_names<OptimiserOptions>() +
               ", with options as in adam:beta1=0.8; auto: adamw:rate=0.006, for images adamw:rate=0.003")
      .add("rate", &rate, "Learning rate; 0 leaves it to the optimiser")
      .add("schedule", &schedule,
           "How the rate changes: " + known_names<Schedule>() + ", with options as in cosine:warmup=100")
      .add("batch", &batch, "Samples per step; auto: 32, for images 128")
      .called("N")
      .add("epochs", &epochs,
           "Passes through the data, at most; auto: about 9,000 steps in 30 to 300 epochs, for images about "
           "4,700 in 10 to 300")
      .called("N")
      .add("patience", &patience, "Epochs without improvement before training ends; 0: never before the last")
      .add("metric", &metric,
           "Metric that chooses the best weights, over the rows held out to judge by: " + join(metric_names))
      .add("threshold", &threshold,
           "Probability from which the second of two classes is the answer; best: the one with the best "
           "--metric over the rows held out to judge by")
      .called("X")
      .add("clip", &clip, "Largest norm of a gradient; 0 does not clip")
      .add("certify", &certify,
           "Bound, below 1, of the certificate that training maintains, so that every input has one "
           "equilibrium (docs/settling.md); auto: 0.95, but 0 for gradients of an iteration and for loops of "
           "more than 4,096 neurons; 0: none")
      .called("BOUND")
      .add("pull", &pull,
           "Bound, below 1, of a certificate towards which rows that do not settle pull the weights; 0: they "
           "are only left out. For networks without a certificate (--certify 0)")
      .called("BOUND")
      .add("noise", &noise,
           "Deviation of the noise added to the scaled inputs in training; auto: 0, for images in a network "
           "without convolutions 0.3")
      .called("X")
      .add("augment", &augment,
           "How images change in training, as in shift=2,rotate=10: shift and elastic (pixels), rotate "
           "(degrees), scale (share), shear (pixels per pixel), cutout (side in pixels), flip=true "
           "(mirrored); none; auto: shift=1,rotate=10,scale=0.1 for images in a network with convolutions, "
           "else "
           "none")
      .called("KEY=X,..")
      .add("dropout", &dropout,
           "Share of the hidden neurons, below 1, that a row leaves out of its search in training, different "
           "ones in every epoch")
      .called("X")
      .add("normalise", &normalise, "Learn the weights of each neuron or filter as a length and a direction")
      .add("average", &average,
           "Judge and keep a running mean of the weights; X, below 1, is the share of the mean that each "
           "step keeps, as in 0.999; 0 and auto: none")
      .called("X")
      .add("least-settled", &least_settled, "Stop if a smaller share of an epoch's equilibria settles")
      .add("seed", &seed,
           "Seed of the weights, the batches, the noise, the changes of images, dropout and the rows held "
           "out")
      .add("precision", &precision, "Precision of the network: float, double");
}

void TrainSettings::declare_directory(Settings& settings) {
  settings
      .passing("directory", &table.directory,
               "Folder that relative file names refer to, if they are found there; config.toml names the "
               "folder it was written in")
      .called("FOLDER");
}

void TrainSettings::declare_run(Settings& settings) {
  settings.group("Run")
      .passing("out", &out,
               "Folder for the model, the log and the report [DATA-model, in the current folder]")
      .called("FOLDER")
      .passing("threads", &threads, threads_help)
      .add("checkpoint-seconds", &checkpoint_seconds, "Seconds between checkpoints; 0: after every step")
      .passing("resume", &resume, "Continue the interrupted training in this folder")
      .called("FOLDER");
  declare_directory(settings);
  settings.passing("overwrite", &overwrite, "Replace the training in the folder")
      .passing("quiet", &quiet, "No progress on standard error")
      .passing("json", &json, "Print progress (standard error) and result (standard output) as JSON");
}

}  // namespace irn::app
