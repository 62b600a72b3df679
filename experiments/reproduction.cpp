#include "experiments/reproduction.h"

namespace irn::experiments {

Campaign reproduction(const Protocol& protocol) {
  protocol.check();
  Campaign campaign{
      .command = "irn reproduce",
      .options = options_text(fields_of(protocol), fields_of(Protocol::quick()), fields_of(Protocol::full())),
      .title = "Implicit recurrent networks: the paper, reproduced",
      .subtitle =
          "S. Sanokowski, Implicit recurrent networks: a novel approach to stationary input processing "
          "with recurrent neural "
          "networks in deep learning, arXiv 2010.10564",
      .claimed_by = "the paper says",
      .settings = fields_of(protocol),
      .json = settings_json(protocol),
      .decisions = decisions(protocol)};
  for (const Part& part : parts()) campaign.parts.push_back(bind(part, protocol));
  return campaign;
}

}  // namespace irn::experiments
