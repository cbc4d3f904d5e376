// `resources`, in the units the kernel counts in.
#include <cmath>
#include <cstdlib>

#include "config/decoding.h"

namespace mxc {
namespace {

constexpr std::uint64_t kMegabyte = 1U << 20U;
constexpr std::uint64_t kThousandths = 1000;
// The shortest share of its 100 ms period that the kernel hands out is 1 ms.
constexpr std::uint64_t kLeastThousandths = 10;

struct Named {
  std::string_view key;
  Resource resource;
  std::uint64_t unit;
};

constexpr Named kNamed[] = {
    {"memoryMb", Resource::kMemory, kMegabyte}, {"cpus", Resource::kCpus, kThousandths},
    {"processes", Resource::kProcesses, 1},     {"openFiles", Resource::kOpenFiles, 1},
    {"tmpMb", Resource::kTmp, kMegabyte},       {"fileSizeMb", Resource::kFileSize, kMegabyte},
    {"cpuTimeMs", Resource::kCpuTime, 1},
};

// The shape has been checked: a number within the bounds of its field.
std::uint64_t AmountOf(const Json& value, std::uint64_t unit) {
  if (value.kind == Json::Kind::kInteger) return value.integer * unit;
  return static_cast<std::uint64_t>(
      std::llround(std::strtod(value.text.c_str(), nullptr) * static_cast<double>(unit)));
}

}  // namespace

void DecodeResources(Decoding& decoding) {
  const Json* resources = Member(&decoding.document, "resources");
  for (const Named& named : kNamed) {
    const Json* value = Member(resources, named.key);
    if (value == nullptr) continue;
    const Place place = Place{}.Key("resources").Key(named.key);
    const std::uint64_t amount = AmountOf(*value, named.unit);
    if (named.resource == Resource::kCpus && amount < kLeastThousandths) {
      decoding.Fail(place, *value, "must be at least 0.01");
      continue;
    }
    decoding.config.resources.push_back(
        {.resource = named.resource, .amount = amount, .pointer = place.pointer});
  }
}

}  // namespace mxc
