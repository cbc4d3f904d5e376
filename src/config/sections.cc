// `containment`, and the sections that belong to one containment each.
#include <algorithm>
#include <set>

#include "config/decoding.h"
#include "mxc/fold.h"

namespace mxc {
namespace {

struct NamedContainment {
  std::string_view name;
  Intent intent;
  Containment containment;
};

constexpr NamedContainment kNames[] = {
    {"process", Intent::kProcess, Containment::kBubblewrap},
    {"auto", Intent::kAuto, Containment::kBubblewrap},
    {"vm", Intent::kVm, Containment::kVm},
    {"microvm", Intent::kMicrovm, Containment::kMicrovm},
    {"none", Intent::kConcrete, Containment::kNone},
    {"bubblewrap", Intent::kConcrete, Containment::kBubblewrap},
    {"namespaces", Intent::kConcrete, Containment::kNamespaces},
    {"landlock", Intent::kConcrete, Containment::kLandlock},
    {"lxc", Intent::kConcrete, Containment::kLxc},
    {"processcontainer", Intent::kConcrete, Containment::kProcessContainer},
    {"appcontainer", Intent::kConcrete, Containment::kProcessContainer},
    {"seatbelt", Intent::kConcrete, Containment::kSeatbelt},
    {"macos_sandbox", Intent::kConcrete, Containment::kSeatbelt},
    {"windows_sandbox", Intent::kConcrete, Containment::kWindowsSandbox},
    {"hyperlight", Intent::kConcrete, Containment::kHyperlight},
    {"wslc", Intent::kConcrete, Containment::kWslc},
    {"isolation_session", Intent::kConcrete, Containment::kIsolationSession},
};

struct Section {
  const Json* value = nullptr;
  Place place = {};
  Containment owner = Containment::kNone;
};

struct SectionName {
  std::string_view parent;  // "" or "experimental"
  std::string_view key;
  Containment owner;
};

constexpr SectionName kSections[] = {
    {"", "processContainer", Containment::kProcessContainer},
    {"", "appContainer", Containment::kProcessContainer},
    {"", "lxc", Containment::kLxc},
    {"", "seatbelt", Containment::kSeatbelt},
    {"", "macos_sandbox", Containment::kSeatbelt},
    {"", "wslc", Containment::kWslc},
    {"", "hyperlight", Containment::kHyperlight},
    {"", "windowsSandbox", Containment::kWindowsSandbox},
    {"experimental", "windows_sandbox", Containment::kWindowsSandbox},
    {"experimental", "wslc", Containment::kWslc},
    {"experimental", "isolation_session", Containment::kIsolationSession},
    {"experimental", "seatbelt", Containment::kSeatbelt},
    {"experimental", "macos_sandbox", Containment::kSeatbelt},
};

std::vector<Section> PresentSections(const Json& document) {
  std::vector<Section> present;
  for (const SectionName& name : kSections) {
    const bool top = name.parent.empty();
    const Json* value = Member(top ? &document : Member(&document, name.parent), name.key);
    const Place parent = top ? Place{} : Place{}.Key(name.parent);
    if (value != nullptr)
      present.push_back({.value = value, .place = parent.Key(name.key), .owner = name.owner});
  }
  return present;
}

// Since 0.8 these live at the top level; SDK 0.6 still sends them here.
bool IsMoved(const Decoding& decoding, const Section& section) {
  return decoding.config.dialect != Dialect::kLegacy && section.owner == Containment::kSeatbelt &&
         section.place.pointer.starts_with("/experimental/");
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

void CheckDetails(Decoding& decoding, const Section& section) {
  if (section.owner == Containment::kProcessContainer) CheckProcessContainer(decoding, section);
  if (section.owner == Containment::kWslc) CheckPortMappings(decoding, section);
}

}  // namespace

void DecodeContainment(Decoding& decoding) {
  const Json* value = Member(&decoding.document, "containment");
  if (value == nullptr) return;
  const Place place = Place{}.Key("containment");
  decoding.config.containment_pointer = place.pointer;
  const auto* known =
      std::find_if(std::begin(kNames), std::end(kNames),
                   [value](const NamedContainment& entry) { return entry.name == value->text; });
  if (known == std::end(kNames)) return;  // not in the field table either
  decoding.config.intent = known->intent;
  decoding.config.containment = known->containment;
  if (value->text == "appcontainer" || value->text == "macos_sandbox") {
    decoding.Note("older-name", place,
                  "is the older name of `" + std::string(Name(known->containment)) + "`");
  }
}

void DecodeSections(Decoding& decoding) {
  const Containment own = ContainmentFor(decoding.config, decoding.options.system);
  for (const Section& section : PresentSections(decoding.document)) {
    if (IsMoved(decoding, section)) {
      decoding.Fail(section.place, *section.value, "this section has moved to the top level",
                    "use the top-level section `seatbelt`");
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
    CheckDetails(decoding, section);
    decoding.config.backend_section = *section.value;
  }
}

}  // namespace mxc
