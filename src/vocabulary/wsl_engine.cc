#include "mxc/windows/wsl_engine.h"

#include <nlohmann/json.hpp>

namespace mxc {
namespace {

using Document = nlohmann::json;

// The document for the mxc-exec inside asks for `process`, which takes them in this order, and for this tier.
constexpr std::string_view kEngines[] = {"namespaces", "bubblewrap"};
constexpr std::string_view kTier = "container";

std::string Text(const Document& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool Holds(const Document& backend, std::string_view name) {
  const auto usable = backend.is_object() ? backend.find("usable") : backend.end();
  return usable != backend.end() && *usable == true && Text(backend, "backend") == name &&
         Text(backend, "tier") == kTier;
}

}  // namespace

std::string WslEngine(std::string_view backend) {
  if (backend == "namespaces") return "wsl-unshare";
  if (backend == "bubblewrap") return "wsl-bwrap";
  return "wsl-" + std::string(backend);
}

InnerProbe ReadInnerProbe(const std::string& text) {
  const Document document = Document::parse(text, nullptr, false);
  InnerProbe probe{.version = Text(document, "version")};
  const auto backends = document.is_object() ? document.find("backends") : document.end();
  if (probe.version.empty() || backends == document.end() || !backends->is_array()) return {};
  for (const std::string_view name : kEngines) {
    for (const Document& backend : *backends) {
      if (Holds(backend, name)) probe.engines.push_back(WslEngine(name));
    }
  }
  return probe;
}

}  // namespace mxc
