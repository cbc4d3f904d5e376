#include "profiles/expand_document.h"

#include <gtest/gtest.h>

#include <string>

#include "document/parse.h"
#include "tests/support/fake_host.h"

namespace mxc::expand_document_test {
namespace {

class CallerAtHome : public FakeHost {
 public:
  CallerAtHome() {
    SetEnvironment("HOME", "/home/me").SetEnvironment("XDG_CACHE_HOME", "/cache");
    SetEnvironment("XDG_STATE_HOME", "relative").SetEnvironment("SECRET", "/etc");
  }
};

// The first read-write path of a document that has this one, in a file in /work.
std::string Expanded(const std::string& path, const std::string& directory = "/work",
                     const FakeHost& host = CallerAtHome(), const std::string& expand = "true") {
  Json json = *ParseDocument(
      {.name = "test",
       .bytes = R"({"expand":)" + expand + R"(,"filesystem":{"readwritePaths":[")" + path + R"("]}})"});
  const Status status = ExpandDocument(directory, host, json);
  if (!status) return status.error().pointer + " " + status.error().message;
  return json.Find("filesystem")->Find("readwritePaths")->items.front().text;
}

TEST(Expand, ThePlacesThatItKnows) {
  EXPECT_EQ(Expanded("~"), "/home/me");
  EXPECT_EQ(Expanded("~/x"), "/home/me/x");
  EXPECT_EQ(Expanded("${HOME}/x"), "/home/me/x");
  EXPECT_EQ(Expanded("${PWD}"), "/work");
  EXPECT_EQ(Expanded("${XDG_CACHE_HOME}/x"), "/cache/x");
  EXPECT_EQ(Expanded("${XDG_CONFIG_HOME}/git"), "/home/me/.config/git");
  EXPECT_EQ(Expanded("${XDG_DATA_HOME}"), "/home/me/.local/share");
  EXPECT_EQ(Expanded("/a/~/$HOME"), "/a/~/$HOME");
}

// Of cron, systemd and the like.
TEST(Expand, WithoutHomeTheListOfUsersSaysWhereThatIs) {
  FakeHost host;
  host.AddFile("/etc/passwd", "root:x:0:0::/root:/bin/sh\nme:x:1000:1000::/home/listed:/bin/sh\n");
  EXPECT_EQ(Expanded("~/x", "/work", host), "/home/listed/x");
  EXPECT_EQ(Expanded("${HOME}", "/work", host), "/home/listed");
  EXPECT_EQ(Expanded("${XDG_CACHE_HOME}", "/work", host), "/home/listed/.cache");
  host.SetEnvironment("HOME", "");
  EXPECT_EQ(Expanded("~", "/work", host), "/home/listed");
  host.SetEnvironment("HOME", "/home/me");
  EXPECT_EQ(Expanded("~", "/work", host), "/home/me");
}

TEST(Expand, SaysWhichVariableToSet) {
  const auto hint = [](const std::string& path) { return ExpandPath(path, {}, FakeHost{}).error().hint; };
  EXPECT_EQ(hint("~/x"), "set HOME");
  EXPECT_EQ(hint("${XDG_CACHE_HOME}"), "set XDG_CACHE_HOME or HOME");
  EXPECT_EQ(hint("${XDG_RUNTIME_DIR}"), "set XDG_RUNTIME_DIR");
}

TEST(Expand, OnlyWhereItIsWritten) {
  EXPECT_EQ(Expanded("~/x", "/work", CallerAtHome(), "false"), "~/x");
  EXPECT_EQ(Expanded("~/x", "/work", CallerAtHome(), R"("yes")"), "~/x");  // Decode refuses it
  Json json = *ParseDocument({.name = "test", .bytes = R"({"process":{"cwd":"~"}})"});
  ASSERT_TRUE(ExpandDocument("/work", CallerAtHome(), json).ok());
  EXPECT_EQ(json.Find("process")->Find("cwd")->text, "~");
}

TEST(Expand, OfHomeAloneForSeatbelt) {
  const auto expanded = [](const std::string& members, const std::string& path, const FakeHost& host) {
    Json json = *ParseDocument({.name = "test",
                                .bytes = "{" + members +
                                         R"("process":{"cwd":"~/w"},"filesystem":{"readonlyPaths":[")" +
                                         path + R"("]}})"});
    const Status status = ExpandDocument("/work", host, json);
    return status ? json.Find("process")->Find("cwd")->text + " " +
                        json.Find("filesystem")->Find("readonlyPaths")->items.front().text
                  : status.error().message;
  };
  const std::string seatbelt = R"("containment":"seatbelt",)";
  const CallerAtHome home;
  EXPECT_EQ(expanded(seatbelt, "~", home), "/home/me/w /home/me");
  EXPECT_EQ(expanded(seatbelt, "~/.zsh_history", home), "/home/me/w /home/me/.zsh_history");
  EXPECT_EQ(expanded(seatbelt, "~you", home), "/home/me/w ~you");
  EXPECT_EQ(expanded(seatbelt, "${HOME}/x", home), "/home/me/w ${HOME}/x");
  EXPECT_EQ(expanded(seatbelt + R"("expand":false,)", "~", home), "~/w ~");
  EXPECT_EQ(expanded(R"("containment":"process",)", "~", home), "~/w ~");
  CallerAtHome mac;
  mac.SetSystem(OperatingSystem::kMacos);
  EXPECT_EQ(expanded(R"("containment":"process",)", "~", mac), "/home/me/w /home/me");
  EXPECT_EQ(expanded("", "~", mac), "/home/me/w /home/me");
  EXPECT_NE(expanded(seatbelt, "~", FakeHost()).find("`${HOME}` is not set"), std::string::npos);
}

TEST(Expand, CwdAndRecordsToo) {
  Json json = *ParseDocument(
      {.name = "test",
       .bytes = R"({"expand":true,"process":{"cwd":"${PWD}/a","env":["A=~"]},"audit":{"path":"~/log"}})"});
  ASSERT_TRUE(ExpandDocument("/work", CallerAtHome(), json).ok());
  EXPECT_EQ(json.Find("process")->Find("cwd")->text, "/work/a");
  EXPECT_EQ(json.Find("process")->Find("env")->items[0].text, "A=~");
  EXPECT_EQ(json.Find("audit")->Find("path")->text, "/home/me/log");
}

TEST(Expand, RefusesWhatItDoesNotKnow) {
  const std::string place =
      "/filesystem/readwritePaths/0 Invalid configuration at `filesystem.readwritePaths[0]`: ";
  const std::string at = " at line 1 column 48";
  EXPECT_EQ(Expanded("${SECRET}/x"), place + "`${SECRET}` is not expanded" + at);
  EXPECT_EQ(Expanded("${XDG_RUNTIME_DIR}/x"), place + "`${XDG_RUNTIME_DIR}` is not set" + at);
  EXPECT_EQ(Expanded("${XDG_STATE_HOME}/x"), place + "`${XDG_STATE_HOME}` is not an absolute path" + at);
  EXPECT_EQ(Expanded("~", "/work", FakeHost{}), place + "`${HOME}` is not set" + at);
  EXPECT_EQ(Expanded("${PWD}/x", ""), place + "`${PWD}` is the directory of a file, and this is none" + at);
  for (const char* path : {"~root/x", "${HOME}x", "/a/${HOME}", "${HOME", "${HOME}/${PWD}"}) {
    EXPECT_EQ(Expanded(path), place + "in `" + path + "` only the first directory can be a variable" + at);
  }
}

}  // namespace
}  // namespace mxc::expand_document_test
