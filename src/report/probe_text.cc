#include "report/probe_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/quoted.h"
#include "report/prose.h"
#include "report/report.h"

namespace mxc {
namespace {

bool IsOfSystem(const ContainmentTraits& traits, OperatingSystem system) {
  return traits.home == system || traits.home == OperatingSystem::kAny;
}

std::string Needed(const Support& support) {
  std::string text;
  if (!support.usable)
    text = support.reason + (support.remedy.empty() || support.reason.empty() ? "" : ": ") + support.remedy;
  for (const std::string& warning : support.warnings) text += (text.empty() ? "" : "; ") + warning;
  return Escaped(text);
}

std::vector<Cell> RowOf(const ProbedBackend& probed) {
  const Support& support = probed.support;
  return {{.text = std::string(Name(probed.containment))},
          {.text = support.usable ? "yes" : "no", .style = support.usable ? Style::kGood : Style::kError},
          {.text = support.usable ? std::string(Name(support.tier)) : "-"},
          {.text = Needed(support)}};
}

std::string Paragraph(const std::string& text, std::string_view indent = "") {
  std::string paragraph;
  for (const std::string& line : WrappedAt(text, kTerminalColumns - indent.size()))
    paragraph += fmt::format("{}{}\n", indent, line);
  return paragraph;
}

using Words = std::vector<std::string_view>;

// Those that need the same are told together.
std::string LimitsText(const ProbedBackend& probed) {
  Words held;
  std::vector<std::pair<std::string, Words>> missing;
  for (const ProbedLimit& limit : probed.limits) {
    if (limit.held) {
      held.push_back(Name(limit.resource));
      continue;
    }
    const auto same = std::find_if(missing.begin(), missing.end(),
                                   [&](const auto& entry) { return entry.first == limit.remedy; });
    (same == missing.end() ? missing.emplace_back(limit.remedy, Words{}) : *same)
        .second.push_back(Name(limit.resource));
  }
  std::string text;
  if (!held.empty()) text += Paragraph(fmt::format("Limits that it holds: {}", fmt::join(held, ", ")));
  for (const auto& [remedy, names] : missing) {
    text += Paragraph(fmt::format("Limits that it cannot hold: {}", fmt::join(names, ", ")));
    text += Paragraph(Escaped(remedy), "  ");
  }
  return text;
}

// The hashes are for pins, and stand in the JSON.
std::string HelpersText(const std::vector<ProbedHelper>& helpers) {
  Words names;
  std::string text;
  for (const ProbedHelper& helper : helpers) {
    names.push_back(helper.name);
    if (helper.pinned == Pinned::kOther)
      text += Paragraph(fmt::format("{} is not the file that is pinned.", Escaped(helper.path)));
  }
  if (names.empty()) return text;
  return text + Paragraph(fmt::format("Helpers: {}; --probe=json has their hashes.", fmt::join(names, ", ")));
}

std::string AskedText(const Result<Plan>& asked, bool colours) {
  if (asked) return Paragraph(fmt::format("The policy given would run in {}.", Name(asked->containment)));
  return "The policy given would be refused:\n" + RenderProse(asked.error(), colours);
}

}  // namespace

std::string ProbeText(const ProbeAnswer& answer, bool colours) {
  std::vector<std::vector<Cell>> rows{{{.text = "BACKEND"},
                                       {.text = "WORKS"},
                                       {.text = "TIER"},
                                       {.text = "WHAT IS MISSING OR SHOULD BE KNOWN"}}};
  Words others;
  Words missing;
  const ProbedBackend* usual = nullptr;
  for (const ProbedBackend& probed : answer.backends) {
    const ContainmentTraits& traits = TraitsOf(probed.containment);
    if (!IsOfSystem(traits, answer.system)) {
      others.push_back(traits.name);
    } else if (!probed.support.usable && !traits.missing.reason.empty()) {
      missing.push_back(traits.name);
    } else {
      rows.push_back(RowOf(probed));
    }
    if (probed.containment == answer.process && probed.support.usable) usual = &probed;
  }
  std::string text = TableText(rows, colours) + "\n";
  text += Paragraph(fmt::format(
      "mxc-exec " MXC_VERSION " on {}, as uid {}. The default, 'process', is {} here.", Name(answer.system),
      answer.caller.uid, usual != nullptr ? Name(answer.process) : "nothing that works"));
  if (usual != nullptr) text += LimitsText(*usual);
  if (!missing.empty()) text += Paragraph(fmt::format("Not in this program: {}.", fmt::join(missing, ", ")));
  if (!others.empty()) text += Paragraph(fmt::format("Of other systems: {}.", fmt::join(others, ", ")));
  text += HelpersText(answer.helpers);
  if (answer.asked != nullptr) text += AskedText(*answer.asked, colours);
  return text;
}

}  // namespace mxc
