#include "apps/irn/model_use.h"

#include <algorithm>

#include "apps/irn/device_setting.h"
#include "apps/irn/train_folder.h"
#include "irn/base/file.h"
#include "irn/data/table_words.h"

namespace irn::app {

void ModelUseSettings::declare(Settings& settings) {
  settings.positional("model", &model, "Model file, or the folder of its training");
  table.declare(settings);
  settings
      .add(
          "date-order", &date_order,
          "What comes first in dates like 05/03/2024: auto, day, month; auto: as in training, and where that "
          "does not tell they are refused")
      .add("missing", &missing,
           "What to do with missing inputs: model, refuse, mean, drop; model: as in training")
      .add("unknown", &unknown,
           "What to do with texts that training has not seen: model, refuse, zeros; model: as in training");
  settings.group("Run").add("device", &device, device_help).add("threads", &threads, threads_help);
}

void ViewSettings::declare(Settings& settings) {
  settings.group("Images")
      .add("views", &views,
           "Answer with the mean over N views of each image: the image itself and N - 1 changes of it; a row "
           "is "
           "settled only if all its views are")
      .called("N")
      .add("augment", &augment, "How views differ, as in shift=1,rotate=5; model: as images did in training")
      .called("KEY=X,..");
}

template <class T>
Views ViewSettings::of(const ModelOf<T>& model) const {
  Views result{.count = views, .image = model.encoding.image};
  result.augmentation = augment == "model"
                            ? model.augmentation
                            : named("--augment", [&] { return from_text<Augmentation>(augment); });
  if (views == 1 && augment != "model") throw Error("--augment: is for several views; give --views");
  named("--views", [&] { check_views(result); });
  return result;
}
template Views ViewSettings::of(const ModelOf<float>&) const;
template Views ViewSettings::of(const ModelOf<double>&) const;

std::filesystem::path model_file(const std::string& argument) {
  std::error_code error;
  const bool folder = std::filesystem::is_directory(argument, error);
  return folder ? TrainFolder(argument).model() : std::filesystem::path(argument);
}

Words files_read(const ModelUseSettings& use, const Settings& settings) {
  Words files = use.table.data.empty() ? Words{} : use.table.files_read();
  files.push_back(model_file(use.model).string());
  files.push_back(settings.config());
  return files;
}

AnyModel open_model(const std::string& argument) {
  if (argument.empty()) throw Error("no model: name its file, or the folder of its training");
  const std::filesystem::path file = model_file(argument);
  std::error_code error;
  if (const TrainFolder folder(argument); file == folder.model() && !std::filesystem::exists(file, error) &&
                                          std::filesystem::exists(folder.config(), error))
    throw DataError(
        "the training in '" + argument +
        "' has no weights: it has only begun, or it diverged in its first epoch; its metrics.csv tells");
  try {
    return read_model(file);
  } catch (const FileError& refusal) {
    throw DataError(refusal.what());
  }
}

AnyModel open_model(const ModelUseSettings& settings) {
  const Device device = device_of(settings.device);
  AnyModel model = open_model(settings.model);
  std::visit([&](auto& m) { m.settle.device = device; }, model);
  return model;
}

void apply_settings(const ModelUseSettings& settings, Encoding& encoding) {
  encoding.missing = choose<Missing>("missing", settings.missing,
                                     {{"model", encoding.missing},
                                      {"refuse", Missing::refuse},
                                      {"mean", Missing::mean},
                                      {"drop", Missing::drop}});
  encoding.unknown =
      choose<Unknown>("unknown", settings.unknown,
                      {{"model", encoding.unknown}, {"refuse", Unknown::refuse}, {"zeros", Unknown::zeros}});
  const auto order = named("--date-order", [&] { return date_order_from(settings.date_order); });
  if (order) set_date_order(encoding, *order);
}

Expected expected_by(const Encoding& encoding, const Words& kept) {
  Expected expected = expected_by(encoding);
  for (const std::string& name : kept)
    if (std::none_of(encoding.inputs.begin(), encoding.inputs.end(),
                     [&](const auto& c) { return c.name == name; }))
      expected.text.push_back(name);
  return expected;
}

template <class T>
ModelUse<T> apply_model(const ModelUseSettings& settings, Encoding& encoding, bool with_targets,
                        const Words& kept, ThreadPool& threads, const std::string& weights) {
  apply_settings(settings, encoding);
  ModelUse<T> use;
  use.frame = std::make_unique<Frame>(settings.table.read(expected_by(encoding, kept), threads));
  using Options = typename EncodedSamples<T>::Options;
  use.samples = std::make_unique<EncodedSamples<T>>(
      *use.frame, encoding, Options{.with_targets = with_targets, .weights = weights});
  return use;
}

template ModelUse<float> apply_model(const ModelUseSettings&, Encoding&, bool, const Words&, ThreadPool&,
                                     const std::string&);
template ModelUse<double> apply_model(const ModelUseSettings&, Encoding&, bool, const Words&, ThreadPool&,
                                      const std::string&);

}  // namespace irn::app
