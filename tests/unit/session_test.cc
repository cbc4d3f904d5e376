// Identifiers of sandboxes that stay, and what holder and launcher say to each other.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/socket.h>

#include <span>

#include "base/passed_fds.h"
#include "session/id.h"
#include "session/message.h"
#include "session/reply.h"

namespace mxc::session {
namespace {

using testing::MatchesRegex;

ErrorCode CodeOf(std::string_view text) {
  const Result<SandboxId> id = ParseSandboxId(text);
  return id ? ErrorCode::kInternal : id.error().code;
}

TEST(SandboxId, IsRandomAndReadsBack) {
  const Result<SandboxId> id = NewSandboxId(Containment::kNamespaces);
  ASSERT_TRUE(id.ok());
  EXPECT_THAT(id->Text(), MatchesRegex("ns:[0-9a-f]{32}"));
  EXPECT_NE(NewSandboxId(Containment::kNamespaces)->Text(), id->Text());
  EXPECT_EQ(ParseSandboxId(id->Text())->Name(), id->Name());
  EXPECT_EQ(ParseSandboxName(id->Name())->Text(), id->Text());
  EXPECT_THAT(NewSandboxId(Containment::kBubblewrap)->Text(), MatchesRegex("bwrap:[0-9a-f]{32}"));
  EXPECT_THAT(NewSandboxId(Containment::kLxc)->Text(), MatchesRegex("lxc:[0-9a-f]{32}"));
  EXPECT_EQ(NewSandboxId(Containment::kLandlock).error().code, ErrorCode::kUnsupportedPhase);
}

TEST(SandboxId, RefusesOthers) {
  const std::string token(32, 'a');
  for (const std::string& text :
       {std::string(), token, ":" + token, "ns:" + token + "a", "ns:" + token.substr(1),
        "ns:" + std::string(32, 'A'), "ns:" + std::string(31, 'a') + "/"})
    EXPECT_EQ(CodeOf(text), ErrorCode::kMalformedId) << text;
  EXPECT_EQ(CodeOf("iso:" + token), ErrorCode::kUnsupported);
  EXPECT_FALSE(ParseSandboxName("ns:" + token).ok());
  EXPECT_FALSE(ParseSandboxName("..").ok());
}

TEST(SessionReply, CarriesErrorsWhole) {
  const Error error{.code = ErrorCode::kNotStarted, .message = "m", .pointer = "/p", .hint = "h"};
  const Status read = ParseOk(ErrorText(error));
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, ErrorCode::kNotStarted);
  EXPECT_EQ(read.error().message + read.error().pointer + read.error().hint, "m/ph");
  EXPECT_TRUE(ParseOk(OkText()).ok());
}

TEST(SessionReply, CarriesWhatThePolicySays) {
  Plan plan{.containment = Containment::kNamespaces, .tier = Tier::kContainer, .rung = Rung::kNamespaces};
  plan.sandbox.emplace();
  plan.sandbox->cwd = "/a\xff";
  plan.sandbox->environment = {{.name = "A", .value = Secret{"\x01\xfe"}}};
  plan.output = {.max_bytes = 7, .redact_secrets = true};
  plan.audit = {.path = "/log", .on_failure = Audit::OnFailure::kWarn};
  const Result<Plan> read = ParseEntry(EntryText(plan));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->containment, Containment::kNamespaces);
  EXPECT_EQ(read->tier, Tier::kContainer);
  EXPECT_EQ(read->sandbox->cwd, "/a\xff");
  ASSERT_EQ(read->sandbox->environment.size(), 1U);
  EXPECT_EQ(read->sandbox->environment[0].value.Reveal(), "\x01\xfe");
  EXPECT_EQ(read->output.max_bytes, 7U);
  EXPECT_TRUE(read->output.redact_secrets);
  EXPECT_FALSE(read->output.redact_pii);
  EXPECT_EQ(read->audit.on_failure, Audit::OnFailure::kWarn);
}

TEST(SessionReply, RefusesWhatIsNone) {
  for (const std::string text : {"", "nonsense", "x", "xx", "e"}) EXPECT_FALSE(ParseEntry(text).ok());
  EXPECT_FALSE(ParseEntry(OkText()).ok());
  const std::string whole = ListedText({.id = "a"});
  EXPECT_TRUE(ParseListed(whole).ok());
  EXPECT_FALSE(ParseListed(whole + "a").ok());
  EXPECT_FALSE(ParseListed(whole.substr(0, whole.size() - 1)).ok());
  EXPECT_FALSE(ParseListed(OkText()).ok());
}

class SessionMessage : public testing::Test {
 protected:
  void SetUp() override {
    int ends[2] = {-1, -1};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    launcher.Reset(ends[0]);
    holder.Reset(ends[1]);
  }
  UniqueFd launcher, holder;
};

TEST_F(SessionMessage, GoesBothWays) {
  ASSERT_TRUE(SendVerb(launcher.Get(), Verb::kStop).ok());
  EXPECT_EQ(ReceiveVerb(holder.Get()), Verb::kStop);
  SendReply(holder.Get(), "text");
  EXPECT_EQ(*ReceiveReply(launcher.Get()), "text");
}

TEST_F(SessionMessage, NeedsTheNamespace) {
  const char bytes[8] = {'m', 'x', 'c', '2', 0, 0, 0, 0};
  ASSERT_EQ(::send(launcher.Get(), bytes, sizeof bytes, 0), 8);
  EXPECT_FALSE(ReceiveVerb(holder.Get()).has_value());
  ASSERT_EQ(::send(holder.Get(), "text", 4, 0), 4);
  EXPECT_EQ(ReceiveReply(launcher.Get()).error().code, ErrorCode::kSetupFailed);
}

// Of another version, perhaps, in our own namespace.
TEST_F(SessionMessage, NeedsItsForm) {
  const UniqueFd own{::open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC)};
  const int fd = own.Get();
  const auto say = [&](const std::string& bytes) {
    return SendWithFds(launcher.Get(), bytes.data(), bytes.size(), std::span(&fd, 1));
  };
  ASSERT_EQ(say({'m', 'x', 'c', '1', 0, 0, 0, 0}), 8);
  EXPECT_FALSE(ReceiveVerb(holder.Get()).has_value());
  ASSERT_EQ(say({'m', 'x', 'c', '2', 0, 0, 0}), 7);
  EXPECT_FALSE(ReceiveVerb(holder.Get()).has_value());
  ASSERT_EQ(say({'m', 'x', 'c', '2', 0, 0, 0, 0}), 8);
  EXPECT_EQ(ReceiveVerb(holder.Get()), Verb::kStart);
}

TEST_F(SessionMessage, TellsAHolderThatIsGone) {
  holder.Reset();
  EXPECT_EQ(SendVerb(launcher.Get(), Verb::kStop).error().code, ErrorCode::kStaleId);
  EXPECT_EQ(ReceiveReply(launcher.Get()).error().code, ErrorCode::kStaleId);
}

}  // namespace
}  // namespace mxc::session
