// Seatbelt's profile language as text: rules in order, the last matching one wins.
//
//   Profile profile;
//   profile.Comment("what the policy grants");
//   profile.Allow("file-read*", Subpath(profile.Parameter("/srv/a b")));
//   // (allow file-read* (subpath (param "PATH0")))
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mxc/sandbox/seatbelt_sandbox.h"

namespace mxc::seatbelt {

// Quotes our own text and checked names. Text that a user wrote becomes a parameter instead.
[[nodiscard]] std::string Literal(std::string_view text);

// Filters around an expression that yields a string.
[[nodiscard]] std::string Subpath(const std::string& expression);  // the path and everything below it
[[nodiscard]] std::string Exactly(const std::string& expression);  // the path itself
[[nodiscard]] std::string Service(std::string_view name);          // of mach-lookup

class Profile {
 public:
  Profile();  // version and the denial of everything

  // `(param "PATHn")`; the same path is the same parameter.
  [[nodiscard]] std::string Parameter(const std::string& path);
  // `(param "NAME")`, for which the launcher supplies the value at launch.
  [[nodiscard]] static std::string LaunchParameter(std::string_view name);

  void Comment(std::string_view text);
  // `operations`: one or more, separated by spaces. `filters`: one of them must match; none: everything.
  void Allow(std::string_view operations, std::string_view filters = {});
  void Deny(std::string_view operations, std::string_view filters = {});
  // One rule over a table of mach services.
  template <class Names>
  void AllowServices(const Names& names) {
    for (const std::string_view name : names) Allow("mach-lookup", Service(name));
  }

  [[nodiscard]] std::string TakeText() { return std::move(text_); }
  [[nodiscard]] std::vector<SeatbeltParameter> TakeParameters() { return std::move(parameters_); }

 private:
  void Rule(std::string_view action, std::string_view operations, std::string_view filters);

  std::string text_ = {};
  // The beginning of the last rule, if it has filters: a rule of the same operations is appended to it.
  std::string open_rule_ = {};
  std::vector<SeatbeltParameter> parameters_ = {};
};

}  // namespace mxc::seatbelt
