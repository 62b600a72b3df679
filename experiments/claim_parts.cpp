#include "experiments/claim_parts.h"

#include <algorithm>

#include <fmt/format.h>

#include "experiments/settling/measured.h"
#include "experiments/small_parts.h"

namespace irn::experiments {

std::size_t count(std::span<const ClaimPart> parts, Finding finding) {
  return static_cast<std::size_t>(std::count_if(
      parts.begin(), parts.end(), [&](const ClaimPart& p) { return better(p.difference) == finding; }));
}

Finding verdict(std::span<const ClaimPart> parts) {
  const std::size_t hold = count(parts, Finding::holds), fail = count(parts, Finding::fails);
  return hold == parts.size() ? Finding::holds
         : hold > fail        ? Finding::partly
         : fail == 0          ? Finding::undecided
                              : Finding::fails;
}

Json json(std::span<const ClaimPart> parts) {
  Json all = Json::array();
  for (const ClaimPart& part : parts)
    all.push_back({{"part", part.what},
                   {"difference", part.difference.mean},
                   {"low", part.difference.low()},
                   {"high", part.difference.high()},
                   {"verdict", name(better(part.difference))}});
  return all;
}

namespace {

std::string interval_text(double low, double high) {
  return std::isfinite(low) && std::isfinite(high) ? fmt::format("{:.3g} to {:.3g}", low, high) : "none";
}

}  // namespace

report::Table parts_table(std::string caption, const std::vector<Claim>& claims) {
  report::Table table{.caption = std::move(caption),
                      .columns = {{"claim", report::Align::right},
                                  {"part"},
                                  {"difference", report::Align::right},
                                  {"95 % interval", report::Align::right},
                                  {"verdict"}}};
  for (const Claim& claim : claims)
    for (const Json& part : claim.numbers.at("parts"))
      table.rows.push_back({fmt::format("{}", claim.number), part.at("part").get<std::string>(),
                            fmt::format("{:.3g}", number(part.at("difference"))),
                            interval_text(number(part.at("low")), number(part.at("high"))),
                            part.at("verdict").get<std::string>()});
  return table;
}

}  // namespace irn::experiments
