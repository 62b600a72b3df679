// irn compare: several trainings in one table and one page, from their folders.
#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/irn/command.h"
#include "apps/irn/json_text.h"
#include "apps/irn/metric_json.h"
#include "apps/irn/model_use.h"
#include "apps/irn/output_file.h"
#include "apps/irn/train_folder.h"
#include "irn/base/file.h"
#include "irn/base/options_text.h"
#include "irn/report/page.h"
#include "irn/report/time_words.h"

namespace irn::app {
namespace {

using Json = nlohmann::ordered_json;
using report::Align;

struct Command {
  Settings settings;
  Words runs;
  std::string out;
  bool overwrite = false, json = false;
};

struct OneRun {
  std::string name, network, configuration;
  std::string score;  // the name of the score in its log
  std::map<std::string, double> metrics;
  std::vector<Json> epochs;  // the log
  double seconds = 0;
};

bool is_record(const Json& json) {
  const auto number = [&](const char* key) { return json.contains(key) && json.at(key).is_number(); };
  return json.is_object() && number("epoch") && number("seconds");
}

std::vector<Json> read_log(const std::filesystem::path& path) {
  std::vector<Json> lines;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return lines;
  std::istringstream text(read_file(path));
  for (std::string line; std::getline(text, line);) {
    Json json = Json::parse(line, nullptr, false);
    if (is_record(json)) lines.push_back(std::move(json));  // a run under way may be writing its last line
  }
  return lines;
}

// --metric, or its substitute if the loss chooses.
std::string score_of(const std::string& configuration, Task task) {
  const std::string key = "\nmetric = '";
  const std::size_t at = configuration.find(key);
  const std::size_t begin = at + key.size();
  const std::string metric = at == configuration.npos
                                 ? "loss"
                                 : configuration.substr(begin, configuration.find('\'', begin) - begin);
  return metric != "loss" ? metric
                          : std::string(name(task == Task::classification ? Metric::accuracy : Metric::r2));
}

OneRun read_run(const std::string& folder) {
  OneRun run{.name = folder};
  const AnyModel model = open_model(folder);
  std::visit(
      [&](const auto& m) {
        run.network = to_text(m.network.architecture());
        run.metrics = m.metrics;
        run.configuration = m.configuration;
        run.score = score_of(m.configuration, m.encoding.task);
      },
      model);
  std::error_code error;
  if (std::filesystem::is_directory(folder, error))
    run.epochs = read_log(std::filesystem::path(folder) / "metrics.jsonl");
  for (const Json& epoch : run.epochs) run.seconds += epoch.value("seconds", 0.0);
  return run;
}

// Settings that differ between the runs: {name: one value for each run}.
std::vector<std::pair<std::string, std::vector<std::string>>> differences(const std::vector<OneRun>& runs) {
  std::vector<std::string> keys;
  std::vector<std::map<std::string, std::string>> settings;
  for (const OneRun& run : runs) {
    settings.emplace_back();
    std::istringstream text(run.configuration);
    for (std::string line; std::getline(text, line);) {
      const std::size_t equals = line.find(" = ");
      if (line.starts_with("#") || equals == line.npos) continue;
      const std::string key = line.substr(0, equals);
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
      settings.back()[key] = line.substr(equals + 3);
    }
  }
  std::vector<std::pair<std::string, std::vector<std::string>>> result;
  for (const std::string& key : keys) {
    std::vector<std::string> values;
    for (const auto& of : settings) values.push_back(of.contains(key) ? of.at(key) : "");
    if (std::set<std::string>(values.begin(), values.end()).size() > 1)
      result.emplace_back(key, std::move(values));
  }
  return result;
}

std::vector<std::string> metric_list(const std::vector<OneRun>& runs) {
  std::vector<std::string> names;
  for (const OneRun& run : runs)
    for (const auto& [key, value] : run.metrics)
      if (std::find(names.begin(), names.end(), key) == names.end()) names.push_back(key);
  return names;
}

std::string cell(const OneRun& run, const std::string& metric) {
  const auto found = run.metrics.find(metric);
  return found == run.metrics.end() || std::isnan(found->second) ? "" : fmt::format("{:.5g}", found->second);
}

// The rows of the table. Runs are the columns: there are few of them, and many numbers about them.
std::vector<std::pair<std::string, std::vector<std::string>>> lines_of(const std::vector<OneRun>& runs) {
  std::vector<std::pair<std::string, std::vector<std::string>>> lines = {{"network", {}}, {"seconds", {}}};
  for (const OneRun& run : runs) {
    lines[0].second.push_back(run.network);
    lines[1].second.push_back(run.epochs.empty() ? "" : fmt::format("{:.4g}", run.seconds));
  }
  for (const std::string& metric : metric_list(runs)) {
    lines.push_back({metric, {}});
    for (const OneRun& run : runs) lines.back().second.push_back(cell(run, metric));
  }
  for (auto& difference : differences(runs))
    lines.push_back({"--" + difference.first, std::move(difference.second)});
  return lines;
}

std::string to_text(const std::vector<OneRun>& runs) {
  const auto lines = lines_of(runs);
  std::size_t first = 4;
  std::vector<std::size_t> widths;
  for (const auto& [title, values] : lines) first = std::max(first, title.size());
  for (std::size_t r = 0; r < runs.size(); ++r) {
    std::size_t width = runs[r].name.size();
    for (const auto& [title, values] : lines) width = std::max(width, values[r].size());
    widths.push_back(width);
  }
  std::string text = fmt::format("{:{}}", "", first);
  for (std::size_t r = 0; r < runs.size(); ++r) text += fmt::format("  {:>{}}", runs[r].name, widths[r]);
  for (const auto& [title, values] : lines) {
    text += fmt::format("\n{:{}}", title, first);
    for (std::size_t r = 0; r < runs.size(); ++r) text += fmt::format("  {:>{}}", values[r], widths[r]);
  }
  return text + "\n";
}

Json to_json(const std::vector<OneRun>& runs) {
  Json json = Json::array();
  for (const OneRun& run : runs) {
    Json one = {{"run", run.name}, {"network", run.network}, {"seconds", run.seconds}};
    for (const auto& [key, value] : run.metrics) one["metrics"][key] = metric_json(key, value);
    one["configuration"] = run.configuration;
    json.push_back(std::move(one));
  }
  return json;
}

// A curve for each run over its epochs; `keys` are the number's names with and without rows held out.
report::Panel curves(const std::vector<OneRun>& runs, const std::string& title,
                     std::initializer_list<const char*> keys, bool log) {
  report::Panel panel{.title = title, .x = {.label = "epoch"}, .y = {.label = title, .log = log}};
  for (const OneRun& run : runs) {
    report::Series series{.label = run.name};
    for (const Json& epoch : run.epochs)
      for (const char* key : keys)
        if (epoch.contains(key) && epoch.at(key).is_number()) {
          series.x.push_back(epoch.at("epoch").get<double>());
          series.y.push_back(epoch.at(key).get<double>());
        }
    if (!series.x.empty()) panel.series.push_back(std::move(series));
  }
  return panel;
}

// Scores of different kinds are labelled with their names.
report::Panel scores(const std::vector<OneRun>& runs) {
  const bool alike =
      std::all_of(runs.begin(), runs.end(), [&](const OneRun& run) { return run.score == runs[0].score; });
  std::vector<OneRun> named = runs;
  for (OneRun& run : named)
    if (!alike) run.name += ", " + run.score;
  return curves(named, alike ? runs[0].score : "score", {"score", "training_score"}, false);
}

std::string page_of(const std::vector<OneRun>& runs) {
  report::Page page("irn compare", fmt::format("{} trainings", runs.size()));
  double seconds = 0;
  for (const OneRun& run : runs) seconds += run.seconds;
  page.facts({{"date", report::date_now()}, {"trainings took", report::duration_text(seconds)}});
  report::Table table{.caption = "Metrics, and the settings that differ.", .columns = {{""}}};
  for (const OneRun& run : runs) table.columns.push_back({run.name, Align::right});
  for (const auto& [title, values] : lines_of(runs)) {
    table.rows.push_back({title});
    for (const std::string& value : values) table.rows.back().push_back(value);
  }
  page.section("Results").table(table);
  page.section("Training")
      .figure({.name = "curves",
               .caption = "Loss and score of the rows that judge, share of the training samples that "
                          "settled, and evaluations for each, "
                          "after every epoch.",
               .panels = {curves(runs, "loss", {"validation_loss", "training_loss"}, true), scores(runs),
                          curves(runs, "settled", {"settled"}, false),
                          curves(runs, "evaluations", {"evaluations"}, false)}});
  return page.html();
}

Words files_read(const Command& command) {
  Words files = {command.settings.config()};
  for (const std::string& name : command.runs) {
    files.push_back(model_file(name).string());
    files.push_back((std::filesystem::path(name) / "metrics.jsonl").string());
  }
  return files;
}

int run(const Command& command) {
  if (command.runs.size() < 2) throw Error("name two trainings or more: their folders, or model files");
  check_output_file("--out", command.out, files_read(command), command.overwrite);
  std::vector<OneRun> runs;
  for (const std::string& name : command.runs) runs.push_back(read_run(name));
  if (!command.out.empty()) write_file_atomically(command.out, page_of(runs));
  std::cout << (command.json ? json_text(to_json(runs), 2) : to_text(runs));
  return fine;
}

}  // namespace

Run add_compare(CLI::App& app) {
  const auto command = std::make_shared<Command>();
  command->settings.positional("run", &command->runs, "Folder of a training, or model file")
      .add("out", &command->out, "Page with the table and all learning curves")
      .called("FILE")
      .add("overwrite", &command->overwrite, overwrite_help)
      .add("json", &command->json, "Print everything as JSON");
  command->settings.declare(app, "compare", "Compare several trainings side by side",
                            "Example:\n  irn compare first-model second-model --out compare.html");
  return [command] {
    command->settings.resolve();
    return run(*command);
  };
}

}  // namespace irn::app
