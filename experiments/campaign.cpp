#include "experiments/campaign.h"

namespace irn::experiments {
namespace {

std::string differences(const std::vector<FieldText>& wanted, const std::vector<FieldText>& preset) {
  std::string text;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i].value != preset[i].value) text += " --" + wanted[i].key + " " + wanted[i].value;
  return text;
}

}  // namespace

std::string options_text(const std::vector<FieldText>& wanted, const std::vector<FieldText>& quick,
                         const std::vector<FieldText>& full) {
  const std::string from_quick = differences(wanted, quick),
                    from_full = " --full" + differences(wanted, full);
  return from_full.size() < from_quick.size() ? from_full : from_quick;
}

}  // namespace irn::experiments
