#include "experiments/reproduction.h"

#include "experiments/oscillator_batch.h"
#include "irn/engine/devices.h"

namespace irn::experiments {

Campaign reproduction(const Protocol& protocol, Device device) {
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
  if (device == Device::cpu) return campaign;
  campaign.options += " --device " + to_text(device);
  campaign.settings.push_back({"device", to_text(device)});
  campaign.json["device"] = std::string(device_names[static_cast<std::size_t>(device.kind)]);
  campaign.batch = oscillator_batch(protocol, device);
  for (const DeviceFinding& found : find_devices())
    if (found.device == device) campaign.device = found.text;
  return campaign;
}

}  // namespace irn::experiments
