#include "experiments/settling/study.h"

#include "experiments/settling/parts.h"

namespace irn::experiments {
namespace {

Campaign campaign(const SettlingSettings& settings) {
  settings.check();
  Campaign c{
      .command = "irn study settling",
      .options = options_text(fields_of(settings), fields_of(SettlingSettings::quick()),
                              fields_of(SettlingSettings::full())),
      .title = "Networks that keep settling while they learn",
      .subtitle = "Free training, certified training and other ways, on the same tasks, starts and rows",
      .claimed_by = "claim",
      .settings = fields_of(settings),
      .json = settings_json(settings)};
  for (const SettlingPart& part :
       {held_tables_part(), held_solvers_part(), held_oscillator_part(), held_sweep_part(), held_xor_part()})
    c.parts.push_back(bind(part, settings));
  return c;
}

}  // namespace

Study settling_study() {
  return study_of<SettlingSettings>("settling", "ways of training that keep networks settling, or do not",
                                    campaign);
}

}  // namespace irn::experiments
