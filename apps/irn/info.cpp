// irn info: what a model is, how it was trained, and how far its dynamics are from the contraction bound.
#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/irn/command.h"
#include "apps/irn/counted.h"
#include "apps/irn/metric_json.h"
#include "apps/irn/model_notes.h"
#include "apps/irn/model_use.h"
#include "apps/irn/network_words.h"
#include "irn/analysis/contraction.h"
#include "irn/network/certificate.h"

namespace irn::app {
namespace {

using Json = nlohmann::ordered_json;

struct Command {
  Settings settings;
  std::string model;
  bool json = false;
};

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string node_name(std::size_t node) { return node == 0 ? "input" : fmt::format("layer{}", node); }

Json blocks_json(const Architecture& architecture) {
  Json blocks = Json::array();
  for (const Block& block : architecture.blocks())
    blocks.push_back({{"name", Architecture::block_name(block)},
                      {"kind", kind(block)},
                      {"from", node_name(block.from)},
                      {"to", node_name(block.to)},
                      {"operator", to_text(block.op)},
                      {"shape", {block.rows, block.cols}}});
  return blocks;
}

Json bound_json(const ContractionBound& bound) {
  return {{"bound", number(bound.bound)},
          {"contracts", bound.contracts()},
          {"layer", bound.layer},
          {"row", bound.row}};
}

template <class T>
Json certificate_json(const NetworkOf<T>& network) {
  if (!can_be_certified(network.architecture())) return nullptr;
  return {{"bound", number(certificate_bound(network))}, {"holds", is_certified(network)}};
}

Json column_json(const EncodedColumn& column) {
  Json json = {{"name", column.name}};
  if (column.is_number()) json["mean"] = column.mean, json["deviation"] = column.scale;
  if (column.reading != Reading::number) json["reading"] = name(column.reading);
  for (const ScaledPart& part : column.parts)
    json["parts"].push_back({{"part", name(part.part)}, {"mean", part.mean}, {"deviation", part.scale}});
  if (!column.categories.empty()) json["categories"] = column.categories;
  if (column.others) json["others"] = true;
  if (column.buckets > 0) json["buckets"] = column.buckets;
  return json;
}

Json columns_json(const std::vector<EncodedColumn>& columns) {
  Json list = Json::array();
  for (const EncodedColumn& column : columns) list.push_back(column_json(column));
  return list;
}

template <class T>
Json to_json(const ModelOf<T>& model) {
  const Architecture& architecture = model.network.architecture();
  const Contraction bounds = contraction(model.network);
  Json json = {{"network", to_text(architecture)},
               {"precision", sizeof(T) == 4 ? "float" : "double"},
               {"parameters", architecture.parameters()},
               {"inputs", architecture.inputs()},
               {"neurons", architecture.neurons()},
               {"recurrent", architecture.recurrent()},
               {"task", model.encoding.task == Task::classification ? "classification" : "regression"},
               {"blocks", blocks_json(architecture)},
               {"columns", model.encoding.input_names()},
               {"targets", model.encoding.target_names()},
               {"input_columns", columns_json(model.encoding.inputs)},
               {"target_columns", columns_json(model.encoding.targets)},
               {"decimal", std::string(1, model.encoding.decimal)},
               {"solver", to_text(model.settle.solver)},
               {"tolerance", model.settle.tolerance == 0 ? default_tolerance<T>() : model.settle.tolerance},
               {"seed", model.seed},
               {"flow", bound_json(bounds.flow)},
               {"iteration", bound_json(bounds.iteration)}};
  if (architecture.recurrent()) json["certificate"] = certificate_json(model.network);
  if (model.loss) json["loss"] = to_text(*model.loss);
  if (!model.encoding.image.none()) json["images"] = to_text(model.encoding.image);
  if (!model.augmentation.none()) json["augmentation"] = to_text(model.augmentation);
  for (const auto& [key, value] : model.metrics) json["metrics"][key] = metric_json(key, value);
  json["configuration"] = model.configuration;
  return json;
}

std::string bound_text(std::string_view what, const ContractionBound& bound) {
  return fmt::format("  {:<16} {:.4g} (largest at neuron {} of layer {}): {}\n", what, bound.bound,
                     bound.row + 1, bound.layer,
                     bound.contracts() ? "below 1, contracts for certain" : "not below 1, says nothing");
}

template <class T>
std::string certificate_text(const NetworkOf<T>& network) {
  if (!can_be_certified(network.architecture()))
    return fmt::format("  {:<16} none: a loop has more than {} neurons\n", "certificate",
                       largest_certified_loop);
  return fmt::format("  {:<16} {:.4g}: {}\n", "certificate", certificate_bound(network),
                     is_certified(network)
                         ? "below 1, one equilibrium for every input, reached from every start"
                         : "not below 1, no certificate (irn train --certify keeps one)");
}

template <class T>
std::string dynamics_text(const NetworkOf<T>& network) {
  const Contraction bounds = contraction(network);
  if (!bounds.recurrent) return "dynamics\n  no recurrence: one sweep through the layers is exact\n";
  return "dynamics (one below 1 is enough: every sample settles)\n" + certificate_text(network) +
         bound_text("flow", bounds.flow) + bound_text("plain iteration", bounds.iteration);
}

// "red, blue, ... (7 values)": as many as fit into a line.
std::string categories_text(const std::vector<std::string>& categories) {
  constexpr std::size_t room = 60;
  std::string text;
  for (std::size_t i = 0; i < categories.size(); ++i) {
    if (text.size() + categories[i].size() > room)
      return fmt::format("{}... ({} values)", text, categories.size());
    text += categories[i] + (i + 1 < categories.size() ? ", " : "");
  }
  return text;
}

std::string column_text(const EncodedColumn& column) {
  if (column.buckets > 0) return fmt::format("texts that share {} units by their hash", column.buckets);
  if (!column.parts.empty()) {
    std::string text = "date:";
    for (const ScaledPart& part : column.parts) text += fmt::format(" {}", name(part.part));
    return text;
  }
  if (!column.is_number())
    return "one of " + categories_text(column.categories) + (column.others ? ", or another" : "");
  if (is_date(column.reading))
    return fmt::format("date, mean {}, deviation {:.4g} days", date_text(column.mean), column.scale);
  return fmt::format("{}, mean {:.4g}, deviation {:.4g}",
                     column.reading == Reading::boolean ? "yes or no" : "number", column.mean, column.scale);
}

// Consecutive columns that are alike, such as the pixels of images, share a line.
std::string columns_text(std::string_view title, const std::vector<EncodedColumn>& columns) {
  constexpr std::size_t most = 20;
  std::string text = fmt::format("{} ({})\n", title, counted(columns.size(), "column"));
  std::size_t next = 0;
  for (std::size_t lines = 0; lines < most && next < columns.size(); ++lines) {
    const std::size_t first = next;
    const std::string alike = column_text(columns[first]);
    while (next < columns.size() && column_text(columns[next]) == alike) ++next;
    if (next - first == 2) next = first + 1;  // two take no more room one by one
    text += fmt::format("  {}{}: {}\n", columns[first].name,
                        next - first > 1 ? " to " + columns[next - 1].name : "", alike);
  }
  return next < columns.size() ? text + "  ... (--json lists all)\n" : text;
}

template <class T>
std::string images_text(const ModelOf<T>& model) {
  return fmt::format(
      "  images of {}{}\n", to_text(model.encoding.image),
      model.augmentation.none() ? "" : ", changed while training: " + to_text(model.augmentation));
}

template <class T>
std::string to_text(const ModelOf<T>& model) {
  const Architecture& architecture = model.network.architecture();
  std::string text =
      fmt::format("network {}\n  {}, {}, {} in {}\n", to_text(architecture),
                  counted(architecture.inputs(), "input"), counted(architecture.neurons(), "neuron"),
                  counted(architecture.parameters(), "parameter"), sizeof(T) == 4 ? "float" : "double");
  for (std::size_t l = 0; l < architecture.layers().size(); ++l)
    text += fmt::format("  layer {}: {} {}\n", l + 1, size_words(architecture.layers()[l]),
                        name(architecture.layers()[l].activation));
  text += "blocks\n";
  for (const Block& block : architecture.blocks())
    text += fmt::format(
        "  {:<16} {:<8} {} x {}{}\n", Architecture::block_name(block), kind(block), block.rows, block.cols,
        block.dense() ? "" : fmt::format(", {}: {} numbers", to_text(block.op), block.parameters));
  text += columns_text("inputs", model.encoding.inputs);
  if (!model.encoding.image.none()) text += images_text(model);
  text += columns_text(model.encoding.task == Task::classification ? "target: a class" : "targets",
                       model.encoding.targets);
  text += fmt::format("equilibrium\n  solver {}, tolerance {:g}\n", to_text(model.settle.solver),
                      model.settle.tolerance == 0 ? default_tolerance<T>() : model.settle.tolerance);
  text += dynamics_text(model.network);
  text += fmt::format("training (seed {})\n", model.seed);
  if (model.loss) text += fmt::format("  {:<28} {}\n", "loss", to_text(*model.loss));
  for (const auto& [key, value] : model.metrics) text += fmt::format("  {:<28} {:.6g}\n", key, value);
  if (const std::string note = unfinished_note(model.metrics); !note.empty())
    text += "  not complete: " + note + "\n";
  return model.configuration.empty() ? text : text + "configuration\n" + model.configuration;
}

}  // namespace

Run add_info(CLI::App& app) {
  const auto command = std::make_shared<Command>();
  command->settings.positional("model", &command->model, "Model file, or the folder of its training")
      .add("json", &command->json, "Print everything as JSON");
  command->settings.declare(app, "info", "Show what a model is and how it was trained",
                            "Example:\n  irn info flowers-model");
  return [command] {
    command->settings.resolve();
    const AnyModel model = open_model(command->model);
    std::visit([&](const auto& m) { std::cout << (command->json ? to_json(m).dump(2) + "\n" : to_text(m)); },
               model);
    return int{fine};
  };
}

}  // namespace irn::app
