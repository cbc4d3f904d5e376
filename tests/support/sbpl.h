// What a Seatbelt profile answers, worked out from its text.
//
//   const Result<SbplProfile> profile = SbplProfile::Parse(sandbox);
//   profile->Allows({.operation = "file-read-data", .subject = "/Users/me/work/x"});
//
// Of the rules whose operations and filters fit, the last decides. A rule without a filter speaks only where
// no rule with one does. An operation or a filter that is not in the tables here is an error: a profile with
// a typing mistake would be refused by the kernel as a whole.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "mxc/error.h"
#include "mxc/sandbox/seatbelt_sandbox.h"

namespace mxc {

struct SbplQuestion {
  std::string operation = {};
  // A path; the name of a service, of a system value, of a class of drivers; "localhost:80" or
  // "192.0.2.1:80".
  std::string subject = {};
  bool same_sandbox = true;      // of a process
  std::string protocol = "tcp";  // of an address
};

// A word, a quoted text, or a list.
struct SbplTerm {
  enum class Kind { kWord, kText, kRegex, kList };
  Kind kind = Kind::kWord;
  std::string text = {};
  std::vector<SbplTerm> items = {};
};

struct SbplRule {
  bool allow = false;
  std::vector<std::string> operations = {};
  std::vector<SbplTerm> filters = {};  // any of them
};

class SbplProfile {
 public:
  // `launch`: values of parameters that the launcher would fill in.
  [[nodiscard]] static Result<SbplProfile> Parse(const SeatbeltSandbox& sandbox,
                                                 std::map<std::string, std::string> launch = {});

  [[nodiscard]] bool Allows(const SbplQuestion& question) const;
  [[nodiscard]] const std::vector<SbplRule>& Rules() const { return rules_; }

 private:
  std::vector<SbplRule> rules_ = {};
};

}  // namespace mxc
