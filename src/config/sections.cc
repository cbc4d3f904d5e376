// `containment`, and the sections that belong to one containment each.
#include <algorithm>
#include <optional>
#include <set>

#include "config/decoding.h"
#include "mxc/fold.h"

namespace mxc {
namespace {

struct OtherName {
  std::string_view name;
  Intent intent;
  Containment containment;
};

// Beside those of the containments themselves.
constexpr OtherName kOtherNames[] = {
    {"process", Intent::kProcess, Containment::kBubblewrap},
    {"auto", Intent::kAuto, Containment::kBubblewrap},
    {"vm", Intent::kVm, Containment::kVm},
    {"microvm", Intent::kMicrovm, Containment::kMicrovm},
    {"appcontainer", Intent::kConcrete, Containment::kProcessContainer},
    {"macos_sandbox", Intent::kConcrete, Containment::kSeatbelt},
};

struct Section {
  const Json* value = nullptr;
  Place place = {};
  Containment owner = Containment::kNone;
  bool moved = false;
};

struct SectionName {
  std::string_view parent;  // "" or "experimental"
  std::string_view key;
  Containment owner;
  bool moved = false;  // since 0.8 it stands at the top level; SDK 0.6 still sends it here
};

// Beside the sections that the containments' traits name.
constexpr SectionName kOlderSections[] = {
    {"", "appContainer", Containment::kProcessContainer},
    {"", "macos_sandbox", Containment::kSeatbelt},
    {"experimental", "windows_sandbox", Containment::kWindowsSandbox},
    {"experimental", "wslc", Containment::kWslc},
    {"experimental", "isolation_session", Containment::kIsolationSession},
    {"experimental", "seatbelt", Containment::kSeatbelt, true},
    {"experimental", "macos_sandbox", Containment::kSeatbelt, true},
};

void AddPresent(const Json& document, const SectionName& name, std::vector<Section>& present) {
  const bool top = name.parent.empty();
  const Json* value = Member(top ? &document : Member(&document, name.parent), name.key);
  const Place parent = top ? Place{} : Place{}.Key(name.parent);
  if (value == nullptr) return;
  present.push_back(
      {.value = value, .place = parent.Key(name.key), .owner = name.owner, .moved = name.moved});
}

std::vector<Section> PresentSections(const Json& document) {
  std::vector<Section> present;
  for (const ContainmentTraits& traits : AllContainments()) {
    if (!traits.section.empty()) AddPresent(document, {"", traits.section, traits.containment}, present);
  }
  for (const SectionName& name : kOlderSections) AddPresent(document, name, present);
  return present;
}

void CheckProcessContainer(Decoding& decoding, const Section& section) {
  if (const Json* list = Member(section.value, "capabilities")) {
    for (std::size_t i = 0; i < list->items.size(); ++i) {
      const Place place = section.place.Key("capabilities").Item(i);
      const std::string& name = list->items[i].text;
      const std::string lower = Folded(name);
      if (name.find(',') != std::string::npos) {
        decoding.Fail(place, list->items[i], "the capability " + Ticked(name) + " contains a comma",
                      "write each capability as an entry of its own");
      } else if (lower == "learningmodelogging" || lower == "permissivelearningmode") {
        decoding.Fail(place, list->items[i], "the capability " + Ticked(name) + " is reserved",
                      "use processContainer.learningMode");
      }
    }
  }
  if (const Json* path = Member(Member(section.value, "captureDenials"), "outputPath")) {
    CheckPath(decoding, section.place.Key("captureDenials").Key("outputPath"), *path);
  }
}

void CheckPortMappings(Decoding& decoding, const Section& section) {
  const Json* list = Member(section.value, "portMappings");
  if (list == nullptr) return;
  std::set<std::uint64_t> seen;
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    const Json* port = Member(&list->items[i], "windowsPort");
    if (port == nullptr || seen.insert(port->integer).second) continue;
    decoding.Fail(section.place.Key("portMappings").Item(i).Key("windowsPort"), *port,
                  "the port is mapped twice");
  }
}

struct Check {
  Containment owner;
  void (*check)(Decoding& decoding, const Section& section);
};

constexpr Check kChecks[] = {
    {Containment::kProcessContainer, CheckProcessContainer},
    {Containment::kWslc, CheckPortMappings},
};

// A containment by any of its names, as an entry of kOtherNames.
std::optional<OtherName> NamedBy(std::string_view name) {
  for (const OtherName& other : kOtherNames) {
    if (other.name == name) return other;
  }
  for (const ContainmentTraits& traits : AllContainments()) {
    if (traits.name == name) return OtherName{traits.name, Intent::kConcrete, traits.containment};
  }
  return std::nullopt;
}

void DecodeSelection(Decoding& decoding) {
  const Json* const selection = Member(&decoding.document, "selection");
  const Json* const order = Member(selection, "order");
  if (order == nullptr) return;
  if (decoding.config.intent != Intent::kAuto) {
    decoding.Fail(Place{}.Key("selection"), *selection,
                  "the containment is named, so there is nothing to choose",
                  "write \"containment\": \"auto\", or remove `selection`");
    return;
  }
  for (const Json& name : order->items) {
    if (const std::optional<OtherName> known = NamedBy(name.text))
      decoding.config.order.push_back(known->containment);
  }
}

// Sections of what `auto` may become stand side by side.
bool KeptForAuto(const Config& config, Containment owner) {
  if (config.intent != Intent::kAuto) return false;
  if (config.order.empty()) return TraitsOf(owner).auto_in_place;
  return std::find(config.order.begin(), config.order.end(), owner) != config.order.end();
}

}  // namespace

void DecodeContainment(Decoding& decoding) {
  const Json* value = Member(&decoding.document, "containment");
  if (value == nullptr) return;
  const Place place = Place{}.Key("containment");
  decoding.config.containment_pointer = place.pointer;
  const std::optional<OtherName> known = NamedBy(value->text);
  if (!known) return;  // not in the field table either
  decoding.config.intent = known->intent;
  decoding.config.containment = known->containment;
  if (known->intent == Intent::kConcrete && known->name != Name(known->containment)) {
    decoding.Note("older-name", place,
                  "is the older name of `" + std::string(Name(known->containment)) + "`");
  }
}

void DecodeSections(Decoding& decoding) {
  DecodeSelection(decoding);
  const Containment own = ContainmentFor(decoding.config, decoding.options.system);
  for (const Section& section : PresentSections(decoding.document)) {
    if (section.moved && decoding.config.dialect != Dialect::kLegacy) {
      decoding.Fail(section.place, *section.value, "this section has moved to the top level",
                    "use the top-level section `seatbelt`");
      continue;
    }
    if (KeptForAuto(decoding.config, section.owner)) {
      decoding.config.sections.push_back({.containment = section.owner, .section = *section.value});
      continue;
    }
    if (section.owner != own) {
      const std::string owner{Name(section.owner)};
      decoding.Fail(section.place, *section.value,
                    "multiple backends: this section belongs to containment `" + owner +
                        "`, but the containment is `" + std::string(Name(own)) + "`",
                    "remove the section, or write \"containment\": \"" + owner + "\"");
      continue;
    }
    for (const Check& check : kChecks)
      if (check.owner == own) check.check(decoding, section);
    decoding.config.backend_section = *section.value;
  }
}

}  // namespace mxc
