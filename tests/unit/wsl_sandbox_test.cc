// What the mxc-exec on Windows says to the one in a distribution of WSL about a sandbox that stays, read
// again as that one reads it.
#include "mxc/windows/wsl_sandbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "config/decode.h"
#include "document/parse.h"
#include "run/inner_report.h"

namespace mxc::wsl_sandbox_test {
namespace {

const std::string kInside = "ns:0123456789abcdef0123456789abcdef";

Config Read(const std::string& text) {
  const Result<Json> document = ParseDocument({.name = "inside", .bytes = text});
  EXPECT_TRUE(document) << document.error().message;
  Result<Config> config = Decode(*document, {.system = OperatingSystem::kLinux});
  EXPECT_TRUE(config) << config.error().message;
  return config ? std::move(*config) : Config{};
}

TEST(WslSandbox, ADocumentSaysHowLongItStays) {
  const Result<std::string> document =
      WslProvisionDocument(R"({"version": "1.1.0-alpha", "containment": "process",)"
                           R"( "filesystem": {"readwritePaths": ["/w"]}})");
  ASSERT_TRUE(document);
  EXPECT_EQ(Read(*document).phase, Phase::kProvision);
  const Result<std::string> with = WslStartDocument(*document, 5000, 0);
  ASSERT_TRUE(with);
  const Config config = Read(*with);
  EXPECT_EQ(config.session.idle_timeout_ms, 5000U);
  EXPECT_EQ(config.session.lifetime_ms, 0U);
  ASSERT_EQ(config.read_write.size(), 1U);
  EXPECT_EQ(config.read_write[0].path, "/w");
  EXPECT_FALSE(WslStartDocument("[]", 1, 1));
  EXPECT_FALSE(WslStartDocument("{", 1, 1));
  EXPECT_FALSE(WslProvisionDocument("1"));
}

TEST(WslSandbox, ACommandHasWhatItWasGivenAndNothingElse) {
  const Config bare = Read(WslExecDocument(kInside, {.command_line = "make \"a\" \xff"}));
  EXPECT_EQ(bare.phase, Phase::kExec);
  EXPECT_EQ(bare.sandbox_id, kInside);
  EXPECT_THAT(bare.process.command_line, testing::StartsWith("make \"a\" "));
  EXPECT_EQ(bare.process.cwd, "");
  EXPECT_FALSE(bare.process.environment.has_value());
  EXPECT_EQ(bare.process.timeout_ms, 0U);
  const WslCommand command{.argv = {"a b", ""},
                           .cwd = "/mnt/c/w",
                           .environment = {{.name = "A", .value = Secret{"s=\n"}}},
                           .timeout_ms = 7000};
  const Config whole = Read(WslExecDocument(kInside, command));
  EXPECT_THAT(whole.process.argv, testing::ElementsAre("a b", ""));
  EXPECT_EQ(whole.process.cwd, "/mnt/c/w");
  EXPECT_EQ(whole.process.timeout_ms, 7000U);
  EXPECT_TRUE(whole.process.inherit_default_environment);
  ASSERT_TRUE(whole.process.environment.has_value());
  ASSERT_EQ(whole.process.environment->size(), 1U);
  EXPECT_EQ(whole.process.environment->front().value.Reveal(), "s=\n");
  const Config exact = Read(WslExecDocument(kInside, {.command_line = "x", .exact = true}));
  EXPECT_FALSE(exact.process.inherit_default_environment);
  ASSERT_TRUE(exact.process.environment.has_value());
  EXPECT_TRUE(exact.process.environment->empty());
}

TEST(WslSandbox, OnlyAnIdentifierIsOne) {
  EXPECT_EQ(ReadWslIdentifier(kInside + "\n").value_or(""), kInside);
  EXPECT_EQ(ReadWslIdentifier("lxc:" + kInside.substr(3) + "\nmore").value_or(""),
            "lxc:" + kInside.substr(3));
  for (const std::string& other :
       {std::string(), kInside, "\n" + kInside + "\n", kInside + "0\n", "k8s:" + kInside.substr(3) + "\n",
        std::string("ns:; rm -rf /\n"), kInside + "\r\n"})
    EXPECT_FALSE(ReadWslIdentifier(other).has_value()) << other;
}

TEST(WslSandbox, AnErrorIsTheLastLine) {
  const std::string line = R"({"error":{"code":"stale_id","message":"gone","kind":"stale_id","hint":"h"}})";
  const std::optional<Error> error = ReadInnerError("mxc-exec: warning: w\ngone\n" + line + "\n");
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, ErrorCode::kStaleId);
  EXPECT_EQ(error->message, "gone");
  EXPECT_EQ(error->hint, "h");
  for (const std::string& other :
       {std::string(), std::string("\n"), line + "\nmore\n", std::string("{\n"), std::string("{}\n"),
        std::string(R"({"error":{"message":"no kind"}})"), std::string(R"({"error":"text"})")})
    EXPECT_FALSE(ReadInnerError(other).has_value()) << other;
}

}  // namespace
}  // namespace mxc::wsl_sandbox_test
