#include "mxc/secret.h"

namespace mxc {

std::string ShownText(const std::vector<TextPart>& parts) {
  std::string text;
  for (const TextPart& part : parts) {
    const auto* shown = std::get_if<std::string>(&part);
    text += shown != nullptr ? *shown : "…";
  }
  return text;
}

std::string RevealedText(const std::vector<TextPart>& parts) {
  std::string text;
  for (const TextPart& part : parts) {
    const auto* const shown = std::get_if<std::string>(&part);
    text += shown != nullptr ? *shown : std::get<Secret>(part).Reveal();
  }
  return text;
}

}  // namespace mxc
