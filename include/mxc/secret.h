// Text that must never be printed: environment values, credentials.
//
// It has no formatter and no stream operator, so printing one does not compile. Reveal() is called only where
// the text goes to the kernel (src/spawn, src/engine).
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

// Part of a text that is passed on whole and shown without its secrets.
using TextPart = std::variant<std::string, Secret>;
// The text with "…" for each secret.
[[nodiscard]] std::string ShownText(const std::vector<TextPart>& parts);
// The whole text.
[[nodiscard]] std::string RevealedText(const std::vector<TextPart>& parts);

}  // namespace mxc
