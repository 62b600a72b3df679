// The options of a training, as --help, the environment and TOML have them.
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
      .add("target", &target, "Columns to predict (of IDX images: label)")
      .add("task", &task, "regression or classification; auto decides by the target and says so")
      .add("inputs", &inputs, "Columns to predict from; all others if none is named")
      .add("exclude", &exclude, "Columns to leave out of the inputs")
      .add("missing", &missing, "Missing values: refuse, mean (of the column) or drop (the row)")
      .add("unknown", &unknown, "Texts that training has not seen, when predicting: refuse or zeros")
      .add("scaling", &scaling,
           "Inputs to mean 0, deviation 1: columns (each), common (all alike), none; auto is common for "
           "images")
      .add("images", &images,
           "Shape of rows that are images: height x width, as in 28x28, or channels x height x width, as in "
           "3x32x32; auto: as the file says (IDX, arrays of more than two axes); none: they are no images")
      .called("HxW")
      .add("validation", &validation,
           "Share of the rows held out to judge by, or a file of them; auto: 0.1, of less than 100 rows 0.2, "
           "of "
           "less than 50 none")
      .called("SHARE")
      .add("weights", &weights, "Column that says how much each row counts: 2 as if it were there twice")
      .called("COLUMN")
      .add("class-weights", &class_weights,
           "How much the rows of a class count in training: balanced, or as in no=1,yes=5; all alike if none "
           "are "
           "given");
  table.declare(settings);
  settings.group("Columns")
      .add("dates", &dates,
           "What dates become, as inputs: " + join(date_part_names) + "; days: since 1970, as a number")
      .add("date-order", &date_order,
           "Of dates like 05/03/2024: day or month (first); auto: as the column's dates tell, else they stay "
           "text")
      .add("categories", &categories,
           "Of columns with many texts: all (a unit each, of at most 1,000), frequent:N (the N most "
           "frequent, the "
           "others share one) or hashed:N (all share N units)");
  settings.group("Network")
      .add("from", &from,
           "Model, or folder of a training, to start from: its weights, its network and how it reads columns")
      .called("MODEL")
      .add("convolutions", &convolutions,
           "Layers of filters before the hidden layers, of images: as in 32k5s2,64k3 (32 filters of 5 x 5 "
           "with stride 2, then 64 of "
           "3 x 3) or 16k3,pool2; none; auto: none, of images 16k5s2,32k3s2,32k3s2")
      .called("NkN,..")
      .add("layers", &layers,
           "Neurons of the hidden layers, e.g. 64 or 64-32; 0 for none; auto: 64, behind convolutions 0, of "
           "images without them 128")
      .called("N-N-..")
      .add("activation", &activation,
           "Of the hidden layers: " + join(activation_names) + "; auto: sigmoid, of images relu")
      .add("recurrence", &recurrence,
           "Among the hidden layers: " + join(recurrence_names) +
               "; lateral=conv1: of the last filters at each place by itself")
      .add("architecture", &architecture,
           "The whole network instead, e.g. 4-16tanh-3identity/full, see docs/library.md")
      .called("TEXT")
      .add("start", &start, "Of the weights: scaled or paper");
  settings.group("Equilibrium")
      .add("solver", &solver, known_names<Solver>())
      .add("tolerance", &tolerance, "Of the residual; 0 is 1e-5 in float, 1e-8 in double")
      .add("device", &device, device_help);
  settings.group("Training")
      .add("loss", &loss,
           "What is lowered: " + known_names<NamedLoss>() +
               ", with options as in huber:delta=0.5; auto: squared for numbers, cross-entropy for classes")
      .add("gradient", &gradient, known_names<Gradient>())
      .add("optimiser", &optimiser,
           known_names<OptimiserOptions>() +
               ", with options as in adam:beta1=0.8; auto: adamw:rate=0.006, of images 0.003")
      .add("rate", &rate, "Learning rate; 0 leaves it to the optimiser")
      .add("schedule", &schedule, "Of the rate: " + known_names<Schedule>())
      .add("batch", &batch, "Samples a step; auto: 32, of images 128")
      .called("N")
      .add("epochs", &epochs,
           "Times over the data, at most; auto: about 9,000 steps in 30 to 300 epochs, of images 10 epochs")
      .called("N")
      .add("patience", &patience, "Epochs without improvement before training ends; 0: never before the last")
      .add("metric", &metric,
           "By which the best weights are chosen, over the rows that judge: " + join(metric_names))
      .add("threshold", &threshold,
           "Of two classes: the probability from which the second is answered; best: where --metric is best "
           "over the "
           "rows that judge")
      .called("X")
      .add("clip", &clip, "Largest norm of a gradient; 0 does not clip")
      .add("certify", &certify,
           "Bound, below 1, of the certificate that training keeps, so that every input has one equilibrium "
           "(docs/settling.md); auto: 0.95, but 0 for loops of more than 4,096 neurons; 0: none")
      .called("BOUND")
      .add("pull", &pull,
           "Without a certificate: bound, below 1, of one towards which rows that do not settle pull the "
           "weights; 0: they only take no part")
      .called("BOUND")
      .add("noise", &noise,
           "Deviation of noise on the scaled inputs while training; auto: 0, of images without convolutions "
           "0.3")
      .called("X")
      .add("augment", &augment,
           "How images change while training, as in shift=2,rotate=10: shift and elastic (pixels), rotate "
           "(degrees), scale (share), shear, cutout (pixels a side), flip=true (left for right); none")
      .called("KEY=X,..")
      .add("dropout", &dropout,
           "Share of the hidden neurons, below 1, that a row leaves out of its search while training")
      .called("X")
      .add("normalise", &normalise, "Learn the weights of each neuron or filter as a length and a direction")
      .add("average", &average,
           "Answer with a running mean of the weights: what a step leaves of it, as in 0.999; 0: none")
      .called("X")
      .add("least-settled", &least_settled, "Stop if fewer of the equilibria settle, as a share")
      .add("seed", &seed, "Of the weights, the batches and the rows held out")
      .add("precision", &precision, "float or double");
}

void TrainSettings::declare_run(Settings& settings) {
  settings.group("Run")
      .passing("out", &out, "For the model, the log and the report [DATA-model, in the present folder]")
      .called("FOLDER")
      .passing("threads", &threads, "0: as many as the machine has; the result does not depend on it")
      .add("checkpoint-seconds", &checkpoint_seconds, "Time between checkpoints; 0: after every step")
      .passing("resume", &resume, "Go on with the interrupted training in this folder")
      .called("FOLDER")
      .passing(
          "directory", &table.directory,
          "Where relative names of files are meant from, if not from here; config.toml has the one it was "
          "written in")
      .called("FOLDER")
      .passing("overwrite", &overwrite, "Replace the training in the folder")
      .passing("quiet", &quiet, "No progress on standard error")
      .passing("json", &json, "Progress (on standard error) and result (on standard output) as JSON");
}

}  // namespace irn::app
