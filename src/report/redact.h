// Replaces credentials and personal data in a stream of output with "[REDACTED]".
//
//   Redactor redactor({.secrets = true, .values = {token}});
//   redactor.Feed(bytes, out);  // as often as there is data; `out` is appended to
//   redactor.Finish(out);
//
// Three recognisers see all of it, each for itself: known values, what is assigned to the name of a secret,
// and what has the shape of a credential. The union of what they find is replaced. What may be the start of a
// find is held back until more arrives: of a value as much as there is of it, of the others a few KiB.
//
// This helps against accidents. A program that wants to print a secret can encode it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mxc/plan.h"
#include "report/known_values.h"
#include "report/named_secrets.h"
#include "report/redact_window.h"
#include "report/shape_scanner.h"

namespace mxc {

struct RedactionRules {
  // Tokens of the services that shapes_secret.cc lists; private key blocks, JSON web tokens, bearer and
  // authorization headers, passwords and signatures in URLs, what is assigned to a name such as password,
  // secret, token or api_key; and `values`.
  bool secrets = false;
  // Mail addresses, telephone numbers, payment cards (Luhn), US social security numbers, IP addresses but for
  // those of the machine itself.
  bool pii = false;
  std::vector<std::string> values = {};  // exact text to replace, of at least kMinValueBytes
};

inline constexpr std::size_t kMinValueBytes = 8;

// Values of environment variables whose names look secret (TOKEN, SECRET, PASSWORD, ..._KEY, ...), without
// the ends of lines behind them, which a shell drops. The other values are PATHs and locales, and replacing
// those would destroy the output.
[[nodiscard]] std::vector<std::string> SecretValues(const std::vector<Variable>& environment);
[[nodiscard]] bool LooksSecret(std::string_view variable_name);

class Redactor {
 public:
  explicit Redactor(const RedactionRules& rules);

  void Feed(std::string_view bytes, std::string& out);
  // Nothing has come for a while: lets go of words that would only match if a mail address or a number went
  // on, so that a prompt appears. The start of a secret stays.
  void Idle(std::string& out);
  void Finish(std::string& out);
  [[nodiscard]] bool Holding() const { return !window_.Empty(); }

 private:
  void Write(std::string& out);

  bool secrets_;
  std::uint64_t end_ = 0;  // of what has come
  RedactWindow window_ = {};
  KnownValues values_;
  NamedSecrets named_ = {};
  ShapeScanner shapes_;
};

}  // namespace mxc
