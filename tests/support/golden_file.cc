#include "tests/support/golden_file.h"

#include <algorithm>
#include <cstddef>

namespace mxc::test {
namespace {

constexpr std::string_view kLike = " like ";

bool IsHeading(std::string_view line) {
  return !line.starts_with(' ') && !line.starts_with('+') && !line.starts_with('-');
}

// `namespaces, lxc: like nothing`
std::vector<GoldenPlan> PlansUnder(std::string_view heading) {
  const std::size_t colon = std::min(heading.find(':'), heading.size());
  std::string_view names = heading.substr(0, colon);
  const std::string_view rest = heading.substr(std::min(colon + 1, heading.size()));
  const std::string like(rest.starts_with(kLike) ? rest.substr(kLike.size()) : "");
  std::vector<GoldenPlan> plans;
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(", "), names.size());
    plans.push_back({.backend = std::string(names.substr(0, end)), .like = like, .difference = ""});
    names.remove_prefix(std::min(end + 2, names.size()));
  }
  return plans;
}

}  // namespace

std::vector<GoldenPlan> ReadGoldenPlans(std::string_view text) {
  std::vector<GoldenPlan> plans;
  std::size_t first = 0;  // of those under the last heading
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    if (IsHeading(line)) {
      first = plans.size();
      for (GoldenPlan& plan : PlansUnder(line)) plans.push_back(std::move(plan));
    } else {
      for (std::size_t i = first; i < plans.size(); ++i) plans[i].difference.append(line).append("\n");
    }
  }
  return plans;
}

std::string WriteGoldenPlans(const std::vector<GoldenPlan>& plans) {
  std::string text;
  for (auto plan = plans.begin(); plan != plans.end(); ++plan) {
    const auto is_same = [&](const GoldenPlan& other) {
      return other.like == plan->like && other.difference == plan->difference;
    };
    if (std::find_if(plans.begin(), plan, is_same) != plan) continue;
    std::string names;
    for (auto other = plan; other != plans.end(); ++other) {
      if (is_same(*other)) names += (names.empty() ? "" : ", ") + other->backend;
    }
    if (!text.empty()) text += "\n";
    text += names + ":";
    if (!plan->like.empty()) text.append(kLike).append(plan->like);
    text += "\n" + plan->difference;
  }
  return text;
}

}  // namespace mxc::test
