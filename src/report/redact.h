// Replaces credentials and personal data in a stream of output with "[REDACTED]".
//
//   Redactor redactor({.secrets = true, .values = {token}});
//   redactor.Feed(bytes, out);  // as often as there is data; `out` is appended to
//   redactor.Finish(out);
//
// What may be the start of a match is held back until more arrives: at most kMaxHeldBytes, and behind a
// private key what KeyBlock holds. A match is replaced as soon as its shortest form is complete, and the rest
// of it is swallowed without being held.
//
// This helps against accidents. A program that wants to print a secret can encode it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mxc/plan.h"
#include "report/key_block.h"
#include "report/secret_value.h"

namespace mxc {

struct RedactionRules {
  // Tokens of AWS, GitHub, GitLab, Slack, npm, PyPI, Google, OpenAI, Anthropic, Stripe, Hugging Face; private
  // key blocks, JSON web tokens, bearer and authorization headers, passwords in URLs, what is assigned to a
  // name such as password, secret, token or api_key; and `values`.
  bool secrets = false;
  // Mail addresses, telephone numbers, payment cards (Luhn), US social security numbers. Not IP addresses:
  // they are in every build log, and seldom a person.
  bool pii = false;
  std::vector<std::string> values = {};  // exact text to replace, of at least kMinValueBytes
};

inline constexpr std::string_view kRedacted = "[REDACTED]";
inline constexpr std::size_t kMinValueBytes = 8;

// Values of environment variables whose names look secret (TOKEN, SECRET, PASSWORD, ..._KEY, ...). The other
// values are PATHs and locales, and replacing those would destroy the output.
[[nodiscard]] std::vector<std::string> SecretValues(const Exec& exec);
[[nodiscard]] bool LooksSecret(std::string_view variable_name);

class Redactor {
 public:
  static constexpr std::size_t kMaxHeldBytes = 4096;

  explicit Redactor(RedactionRules rules);

  void Feed(std::string_view bytes, std::string& out);
  // Nothing has come for a while: lets go of words that would only match if a mail address or a number went
  // on, so that a prompt appears. The start of a secret stays.
  void Idle(std::string& out);
  void Finish(std::string& out);
  [[nodiscard]] bool Holding() const { return !held_.empty(); }

 private:
  using Mode = KeyBlock::Mode;
  void Scan(Mode mode, std::string& out);
  std::size_t Step(std::string_view rest, Mode mode, std::string& out);
  [[nodiscard]] std::size_t PlainRun(std::string_view rest) const;
  std::size_t Swallow(std::string_view rest, Mode mode);

  RedactionRules rules_;
  std::vector<bool> may_start_;    // by byte: can a match begin with it?
  std::vector<bool> inside_word_;  // by byte: can one begin with it behind a letter or digit?
  std::string held_;
  unsigned char previous_ = '\n';           // byte before held_: matches begin at the edge of a word
  const bool* swallowing_ = nullptr;        // set of bytes that still belong to the last match
  std::optional<SecretValue> value_ = {};   // behind what names it
  std::optional<KeyBlock> key_block_ = {};  // behind the first line of a private key
};

}  // namespace mxc
