#include "backends/seatbelt/sbpl.h"

#include <utility>

namespace mxc::seatbelt {

std::string Literal(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

std::string Subpath(const std::string& expression) { return "(subpath " + expression + ")"; }
std::string Exactly(const std::string& expression) { return "(literal " + expression + ")"; }
std::string Service(std::string_view name) { return "(global-name " + Literal(name) + ")"; }

Profile::Profile() : text_("(version 1)\n(deny default)\n") {}

std::string Profile::Parameter(const std::string& path) {
  std::size_t number = 0;
  while (number < parameters_.size() && parameters_[number].value != path) ++number;
  std::string name = "PATH" + std::to_string(number);
  if (number == parameters_.size()) parameters_.push_back({.name = name, .value = path});
  return LaunchParameter(name);
}

std::string Profile::LaunchParameter(std::string_view name) { return "(param " + Literal(name) + ")"; }

void Profile::Comment(std::string_view text) {
  text_ += "; " + std::string(text) + "\n";
  open_rule_.clear();
}

void Profile::Allow(std::string_view operations, std::string_view filters) {
  Rule("allow", operations, filters);
}

void Profile::Deny(std::string_view operations, std::string_view filters) {
  Rule("deny", operations, filters);
}

void Profile::Rule(std::string_view action, std::string_view operations, std::string_view filters) {
  std::string opening = "(" + std::string(action) + " " + std::string(operations);
  const bool goes_on = !filters.empty() && opening == open_rule_;
  if (goes_on) {
    text_.resize(text_.size() - std::string_view(")\n").size());
  } else {
    text_ += opening;
  }
  if (!filters.empty()) text_ += "\n  " + std::string(filters);
  text_ += ")\n";
  open_rule_ = filters.empty() ? "" : std::move(opening);
}

}  // namespace mxc::seatbelt
