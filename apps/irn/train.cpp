// irn train: from a table to a model.
#include <memory>

#include <fmt/format.h>

#include "apps/irn/command.h"
#include "apps/irn/output_file.h"
#include "apps/irn/train_again.h"
#include "apps/irn/train_folder.h"
#include "apps/irn/train_job.h"
#include "irn/base/file.h"

namespace irn::app {
namespace {

// The options of an interrupted training come from its folder. Only options that do not affect its result may
// change, and the number of epochs may grow.
void take_up(TrainCommand& command) {
  bool more_epochs = false;
  for (const std::string& key : command.settings.given()) {
    if (key == "epochs") more_epochs = true;
    if (key != "resume" && key != "threads" && key != "quiet" && key != "json" && key != "directory" &&
        key != "epochs")
      throw Error((key == "data" ? "the data" : "--" + key) +
                  " cannot be changed with --resume: the training goes on with the settings it began with");
  }
  TrainSettings& chosen = command.chosen;
  TrainFolder(chosen.resume).check_resumable();
  const std::filesystem::path config = TrainFolder(chosen.resume).config();
  const std::string moved = chosen.table.directory;
  const Settings::AutoCount epochs = chosen.epochs;
  command.settings.read_toml(read_file(config), config.string());
  if (!moved.empty()) chosen.table.directory = moved;
  if (more_epochs && (!epochs || (chosen.epochs && *epochs < *chosen.epochs)))
    throw Error(
        fmt::format("--epochs: the training began with {}; with --resume there can be more, not fewer",
                    chosen.epochs.value_or(0)));
  if (more_epochs) chosen.epochs = epochs;
  chosen.out = chosen.resume;
}

// Refuses a folder that must not be replaced, or that holds files the training reads.
void check_place(const TrainSettings& chosen) {
  const TrainFolder folder(chosen.folder());
  folder.check_free(chosen.overwrite);
  const Words read = chosen.files_read();
  for (const std::filesystem::path& file :
       {folder.config(), folder.checkpoint(), folder.model(), folder.report(), folder.path() / "metrics.csv",
        folder.path() / "metrics.jsonl"})
    refuse_input("--out", file, read);
}

int run(TrainCommand& command) {
  command.settings.resolve();
  TrainSettings& chosen = command.chosen;
  chosen.resume.empty() ? chosen.forget_directory(command.settings.given()) : take_up(command);
  chosen.check();  // first: with a mistake, the folder would block the next training
  if (chosen.resume.empty()) check_place(chosen);
  return run_training(command, true);
}

}  // namespace

int train_again(const TrainAgain& wanted) {
  TrainCommand command;
  TrainSettings& chosen = command.chosen;
  chosen.declare(command.settings);
  command.settings.read_toml(wanted.base, "the settings");
  command.settings.read_toml(wanted.changes, "the settings");
  chosen.out = wanted.folder.string();
  chosen.table.directory = wanted.directory;
  chosen.threads = wanted.threads;
  chosen.quiet = true;
  chosen.overwrite = true;  // remains of a program killed in claim() have no settings
  const TrainFolder folder(wanted.folder);
  std::error_code error;
  const bool begun = std::filesystem::exists(folder.config(), error);
  if (begun && !std::filesystem::exists(folder.checkpoint(), error) &&
      std::filesystem::exists(folder.report(), error))
    return fine;  // the page is written last
  if (begun) chosen.resume = chosen.out;
  return run_training(command, false);
}

Run add_train(CLI::App& app) {
  const auto command = std::make_shared<TrainCommand>();
  command->chosen.declare(command->settings);
  command->settings.declare(
      app, "train", "Train a network on a table and write the model",
      "Examples:\n"
      "  irn train flowers.csv --target species\n"
      "  irn train prices.csv --target price --exclude id --missing mean --layers 64-32\n"
      "  irn train train-images-idx3-ubyte.gz\n"
      "  irn train --resume flowers-model");
  return [command] { return run(*command); };
}

}  // namespace irn::app
