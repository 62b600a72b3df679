#include "experiments/depth/study.h"

#include "experiments/depth/parts.h"

namespace irn::experiments {
namespace {

Campaign campaign(const DepthSettings& settings) {
  settings.check();
  Campaign c{
      .command = "irn study depth",
      .options = options_text(fields_of(settings), fields_of(DepthSettings::quick()),
                              fields_of(DepthSettings::full())),
      .title = "Recurrence and depth",
      .subtitle =
          "Feed-forward, semi-gradient and exact networks of more and more layers, at equal parameters; "
          "images: " +
          images_text(settings.images),
      .claimed_by = "claim",
      .settings = fields_of(settings),
      .json = settings_json(settings)};
  for (const DepthPart& part : {depth_oscillator_part(), depth_images_part()})
    c.parts.push_back(bind(part, settings));
  return c;
}

}  // namespace

Study depth_study() {
  return study_of<DepthSettings>(
      "depth", "feed-forward, semi-gradient and exact networks of 1 to 6 hidden layers", campaign);
}

}  // namespace irn::experiments
