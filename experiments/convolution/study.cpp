#include "experiments/convolution/study.h"

#include "experiments/convolution/parts.h"

namespace irn::experiments {
namespace {

Campaign campaign(const ConvolutionSettings& settings) {
  settings.check();
  Campaign c{.command = "irn study convolution",
             .options = options_text(fields_of(settings), fields_of(ConvolutionSettings::quick()),
                                     fields_of(ConvolutionSettings::full())),
             .title = "Recurrent connections between filters",
             .subtitle = "Images: " + images_text(settings.images) +
                         ". No recurrence, lateral, feedback and all, at equal parameters and training",
             .claimed_by = "claim",
             .settings = fields_of(settings),
             .json = settings_json(settings)};
  for (const ConvolutionPart& part : {convolution_recurrence_part(), convolution_robustness_part()})
    c.parts.push_back(bind(part, settings));
  return c;
}

}  // namespace

Study convolution_study() {
  return study_of<ConvolutionSettings>(
      "convolution", "recurrent connections between filters: what they bring, what they cost", campaign);
}

}  // namespace irn::experiments
