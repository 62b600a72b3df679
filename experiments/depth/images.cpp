// Images with one or more densely connected hidden layers.
#include <fmt/format.h>

#include "experiments/depth/growth.h"
#include "experiments/depth/parts.h"
#include "experiments/images/image_training.h"

namespace irn::experiments {
namespace {

std::vector<std::size_t> widths_of(const DepthSettings& s, const Method& m, std::size_t depth) {
  const std::size_t wanted = image_network(depth_method("exact"), {s.width}).parameters();
  return widths_for(depth, wanted,
                    [&](const std::vector<std::size_t>& widths) { return image_network(m, widths); });
}

std::string key_of(const Method& m, std::size_t depth, std::size_t repeat) {
  return fmt::format("images-{}-d{}-r{:02}", m.name, depth, repeat);
}

// Roughly, in seconds of one core: only which jobs are long matters.
double cost(const DepthSettings& s, const Method& m, const Architecture& network) {
  const double evaluations = !m.recurrent ? 1 : m.certified() ? 15 : 100;
  const double inside = double(network.parameters() - network.inputs() * network.layers()[0].size);
  return double(s.epochs * s.rows + s.held_out) * (1e-5 + 1e-9 * evaluations * inside);
}

Job job_of(const DepthSettings& s, const ImageSource& source, const Method& m, std::size_t depth,
           std::size_t repeat) {
  const Architecture network = image_network(m, widths_of(s, m, depth));
  return {key_of(m, depth, repeat), cost(s, m, network),
          [s, source, &m, network, repeat](const Watch& watch) {
            watch.check();
            return train_images(NetworkOf<float>(network, Start::scaled, s.seed_of(repeat)), m,
                                source.rows(s.seed_of(repeat), s.rows, s.held_out),
                                {.epochs = s.epochs, .rate = s.rate, .seed = s.seed_of(repeat)}, {}, watch);
          }};
}

std::vector<Job> jobs(const DepthSettings& s) {
  const ImageSource source(s.images);
  std::vector<Job> all;
  for (const Method& m : depth_methods())
    for (std::size_t depth = 1; depth <= s.deepest; ++depth)
      for (std::size_t r = 0; r < s.repeats; ++r) all.push_back(job_of(s, source, m, depth, r));
  return all;
}

DepthTask task_of(const DepthSettings& s, const Results& results) {
  return {.name = "images",
          .label = images_text(s.images),
          .value = "share right",
          .deepest = s.deepest,
          .held_out = s.held_out,
          .at =
              [&s, &results](const Method& m, std::size_t depth) {
                Measured all;
                for (std::size_t r = 0; r < s.repeats; ++r) {
                  const std::string key = key_of(m, depth, r);
                  const Json& one = results.at(key);
                  all.add(one.at("right"), one.at("settled"), one.at("evaluations"), results.seconds(key));
                }
                return all;
              },
          .widths = [&s](const Method& m, std::size_t depth) { return widths_of(s, m, depth); },
          .parameters =
              [&results](const Method& m, std::size_t depth) {
                return results.at(key_of(m, depth, 0)).at("parameters").get<std::size_t>();
              },
          .score = [](double right) { return right; },
          .words = points_text};
}

PartReport assemble(const DepthSettings& s, const Results& results) {
  const DepthTask task = task_of(s, results);
  PartReport report;
  report.text = {
      fmt::format("Dense layers of relu neurons learn {}: {} images, {} epochs of Adam in batches of 32, "
                  "rates from {:g} along a "
                  "cosine, gradients clipped to norm 1; the epoch that does best on {} images of its own is "
                  "kept and judged on {} "
                  "others. Every hidden layer is connected to itself and to the one before it; the read-out "
                  "is forward. All networks "
                  "have about {} parameters. An image without an answer is wrong.",
                  images_text(s.images), s.rows, s.epochs, s.rate, s.rows / 5, s.held_out,
                  task.parameters(depth_method("exact"), 1))};
  report.figures = {depth_figure(
      task, fmt::format(
                "{} over hidden layers, at equal parameters: {} held-out images, mean of {} repeats, bands: "
                "95 % intervals.",
                task.label, s.held_out, s.repeats))};
  report.tables = depth_tables(task);
  report.claims = depth_claims(task, 8);
  return report;
}

}  // namespace

DepthPart depth_images_part() { return {"images", "Images", jobs, assemble}; }

}  // namespace irn::experiments
