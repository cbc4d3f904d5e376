// The caller's settings: where they stand, what they say, and what comes before them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "read_request.h"
#include "tests/support/fake_host.h"

namespace mxc::settings_test {
namespace {

using testing::HasSubstr;

constexpr const char* kFile = "/home/me/.config/mxc-exec/config.json";

class SettingsTest : public testing::Test {
 protected:
  void SetUp() override {
    host_.AddDebian().AddDirectory("/home/me", {.uid = 1000}).SetEnvironment("HOME", "/home/me");
    host_.AddDirectory("/home/me/.config/mxc-exec", {.uid = 1000});
  }
  void Write(const std::string& text, FakeAttributes attributes = {.mode = 0644, .uid = 1000}) {
    host_.AddFile(kFile, text, attributes);
  }
  [[nodiscard]] std::string Said(const Options& options = {.command = {"true"}}) const {
    const Request request = ReadRequest(options, host_);
    if (!request.config) return request.config.error().message;
    const Config& config = *request.config;
    std::string text = config.containment_pointer.empty()
                           ? "default"
                           : std::string(Name(config.containment)) + " " + config.containment_pointer;
    if (!config.audit.path.empty()) text += "; " + config.audit.path + " " + config.audit_pointer;
    if (request.report) text += "; report " + *request.report;
    return text;
  }

  FakeHost host_;  // NOLINT: the tests fill it
};

TEST_F(SettingsTest, AreWhatARunStartsFrom) {
  EXPECT_EQ(Said(), "default");
  Write(R"({"containment":"landlock","audit":{"path":"/var/log/me"},"report":"short"})");
  EXPECT_EQ(Said(), "landlock settings: /containment; /var/log/me settings: /audit; report short");
}

TEST_F(SettingsTest, YieldToThePolicyAndToFlags) {
  Write(R"({"containment":"landlock","audit":{"path":"/var/log/me"}})");
  EXPECT_EQ(Said({.command = {"true"}, .containment = "lxc"}),
            "lxc /containment; /var/log/me settings: /audit");
  host_.SetEnvironment("POLICY", R"({"version":"1.0.0","containment":"bubblewrap",)"
                                 R"("process":{"commandLine":"true"},"audit":{"path":"/srv/log"}})");
  EXPECT_EQ(Said({.config_env = "POLICY"}), "bubblewrap /containment; /srv/log /audit");
}

TEST_F(SettingsTest, AreNoneOfACommandInASandbox) {
  Write("{");
  EXPECT_THAT(Said(), HasSubstr("the settings '/home/me/.config/mxc-exec/config.json': "));
  host_.SetEnvironment("EXEC", R"({"version":"1.0.0","phase":"exec","sandboxId":"x",)"
                               R"("process":{"commandLine":"true"}})");
  EXPECT_EQ(Said({.config_env = "EXEC"}), "default");
}

TEST_F(SettingsTest, BelongToTheCallerAlone) {
  Write("{}", {.mode = 0646, .uid = 1000});
  EXPECT_THAT(Said(), HasSubstr("could be changed by others"));
  Write("{}", {.mode = 0644, .uid = 1001});
  EXPECT_THAT(Said(), HasSubstr("could be changed by others"));
  Write("{}", {.mode = 0644, .uid = 1000, .links = 2});
  EXPECT_THAT(Said(), HasSubstr("has another name"));
  host_.Remove(kFile);
  host_.AddFile("/home/me/work/x", "{}", {.uid = 1000}).AddSymlink(kFile, "/home/me/work/x", {.uid = 1000});
  EXPECT_THAT(Said(), HasSubstr("is reached by a link"));
}

TEST_F(SettingsTest, SayNothingElse) {
  Write(R"({"filesystem":{}})");
  EXPECT_THAT(Said(), HasSubstr("unknown field"));
  Write(R"({"containment":"nothing"})");
  EXPECT_THAT(Said(), testing::StartsWith("the settings '/home/me/.config/mxc-exec/config.json': "));
  Write(R"({"report":3})");
  EXPECT_THAT(Said(), HasSubstr("is true, false or `short`"));
}

}  // namespace
}  // namespace mxc::settings_test
