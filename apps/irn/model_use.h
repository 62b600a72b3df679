// A model and a table it is used on: what predict and eval share.
#pragma once

#include <filesystem>
#include <memory>

#include "apps/irn/data_settings.h"
#include "irn/data/encoded_samples.h"
#include "irn/model/model.h"
#include "irn/train/views.h"

namespace irn::app {

// What --help says of --quiet, for commands that use a model to answer.
inline constexpr const char* no_warnings_help =
    "Nothing on standard error about rows without an answer or an unfinished training";

struct ModelUseSettings {
  std::string model;
  DataSettings table;
  std::string missing = "model", unknown = "model", date_order = "auto";
  std::string device = "cpu";
  std::size_t threads = 0;

  void declare(Settings& settings);
};

// Answers from several views of each image.
struct ViewSettings {
  std::size_t views = 1;
  std::string augment = "model";

  void declare(Settings& settings);
  // irn::Error if the model was not trained on images, or nothing says how views differ.
  template <class T>
  Views of(const ModelOf<T>& model) const;
};

template <class T>
struct ModelUse {
  std::unique_ptr<Frame> frame;
  std::unique_ptr<EncodedSamples<T>> samples;
};

// The file of the model that a user's argument names: itself, or the one in a training's folder.
std::filesystem::path model_file(const std::string& argument);
// All files that a command with these settings reads: the file of settings, the model, tables, labels.
Words files_read(const ModelUseSettings& use, const Settings& settings);

// The model that a user's argument names. irn::DataError if there is none.
AnyModel open_model(const std::string& argument);
// The same, computed on the device that the settings name.
AnyModel open_model(const ModelUseSettings& settings);

// Applies the settings to the model's encoding: how missing values and unknown texts are treated.
void apply_settings(const ModelUseSettings& settings, Encoding& encoding);
// What the model knows of a table: how it writes numbers, and which columns are text. Columns that are `kept`
// and are no inputs stay text, as they are written.
Expected expected_by(const Encoding& encoding, const Words& kept);

// Applies the settings to `encoding`, and reads the table in it. Columns that are `kept` and are no inputs of
// the model stay text, as they are written.
template <class T>
ModelUse<T> apply_model(const ModelUseSettings& settings, Encoding& encoding, bool with_targets,
                        const Words& kept, ThreadPool& threads, const std::string& weights = "");

}  // namespace irn::app
