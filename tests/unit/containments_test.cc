// What the stages know of each containment, as one table, and the README's table beside it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "ceiling/ceiling.h"
#include "mxc/containment.h"
#include "tests/support/built.h"
#include "tests/support/fake_host.h"

namespace mxc::containments_test {
namespace {

std::string Row(const ContainmentTraits& traits) {
  std::string row = fmt::format("{} | {} |", traits.name, Name(traits.home));
  const auto add = [&row](bool holds, const char* word) {
    if (holds) row += fmt::format(" {}", word);
  };
  add(!traits.isolates, "no-isolation");
  add(traits.experimental, "experimental");
  add(!traits.planned, "never-planned");
  add(traits.own_system, "own-system");
  add(traits.linux_guest, "linux-guest");
  add(traits.remote, "remote");
  add(traits.auto_in_place, "auto-in-place");
  add(traits.mounts, "mounts");
  add(traits.persistent, "persistent");
  add(traits.keeps_profile, "keeps-profile");
  add(traits.takes_image, "image");
  add(!traits.missing.reason.empty(), "missing");
  return row + "\n";
}

TEST(Containments, AreOneTable) {
  std::string table;
  for (const ContainmentTraits& traits : AllContainments()) table += Row(traits);
  EXPECT_EQ(table,
            "bubblewrap | Linux | mounts persistent\n"
            "namespaces | Linux | mounts persistent\n"
            "landlock | Linux |\n"
            "lxc | Linux | mounts persistent image\n"
            "kubernetes | Linux | own-system linux-guest remote auto-in-place persistent\n"
            "processcontainer | Windows | keeps-profile\n"
            "windows_sandbox | Windows | experimental own-system persistent\n"
            "wslc | Windows | experimental own-system linux-guest persistent\n"
            "isolation_session | Windows | experimental own-system\n"
            "microvm | any | experimental own-system missing\n"
            "hyperlight | any | experimental own-system missing\n"
            "seatbelt | macOS |\n"
            "vm | Windows | never-planned\n"
            "none | any | no-isolation\n");
}

TEST(Containments, ACeilingNamesEachThatIsolates) {
  const FakeHost host;
  for (const ContainmentTraits& traits : AllContainments()) {
    const std::string text = fmt::format(R"({{"require":{{"containments":["{}"]}}}})", traits.name);
    EXPECT_EQ(DecodeCeiling(text, host, {}).ok(), traits.isolates) << text;
  }
}

TEST(Containments, StandInTheReadmesTable) {
  std::ifstream readme(test::SourceDirectory() + "/README.md");
  std::string rows;
  for (std::string line; std::getline(readme, line);)
    if (line.starts_with("| `")) rows += line.substr(0, line.find('|', 1)) + "\n";
  for (const ContainmentTraits& traits : AllContainments())
    EXPECT_NE(rows.find(fmt::format("`{}`", traits.name)), std::string::npos) << traits.name;
}

}  // namespace
}  // namespace mxc::containments_test
