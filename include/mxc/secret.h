// Text that must never be printed: environment values, credentials.
//
// There is no formatter and no stream operator, so a log line or a plan dump that tried would not compile.
// Reveal() is called where the text is handed to the kernel (src/spawn, src/engine) and nowhere else.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace mxc {

class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string text) : text_(std::move(text)) {}

  [[nodiscard]] const std::string& Reveal() const { return text_; }
  [[nodiscard]] std::size_t size() const { return text_.size(); }

 private:
  std::string text_;
};

// One environment variable; the name may be shown, the value may not.
struct Variable {
  std::string name = {};
  Secret value = {};
};

// Part of a text that is handed over whole and shown without its secrets.
using TextPart = std::variant<std::string, Secret>;
// With "…" for each secret.
[[nodiscard]] std::string ShownText(const std::vector<TextPart>& parts);
// All of it.
[[nodiscard]] std::string RevealedText(const std::vector<TextPart>& parts);

}  // namespace mxc
