// Identifiers of sandboxes that stay, and what holder and launcher say to each other.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/socket.h>

#include <array>
#include <optional>
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
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends), 0);
    launcher.Reset(ends[0]);
    holder.Reset(ends[1]);
    const int on = 1;
    ASSERT_EQ(::setsockopt(holder.Get(), SOL_SOCKET, SO_PASSCRED, &on, sizeof on), 0);
  }
  // A call of these bytes and descriptors, as anybody could make it.
  [[nodiscard]] bool IsHeard(const std::string& bytes, std::span<const int> passed) const {
    EXPECT_EQ(SendWithFds(launcher.Get(), bytes.data(), bytes.size(), passed),
              static_cast<ssize_t>(bytes.size()));
    return ReceiveCall(holder.Get()).has_value();
  }
  const std::string start{'m', 'x', 'c', '3', 0, 0, 0, 0};
  const UniqueFd own{::open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC)};
  UniqueFd launcher, holder;
};

TEST_F(SessionMessage, GoesBothWays) {
  const Result<UniqueFd> connection = SendCall(launcher.Get(), Verb::kStop);
  ASSERT_TRUE(connection.ok());
  const std::optional<Call> call = ReceiveCall(holder.Get());
  ASSERT_TRUE(call.has_value());
  EXPECT_EQ(call->verb, Verb::kStop);
  SendReply(call->connection.Get(), "text");
  EXPECT_EQ(*ReceiveReply(connection->Get()), "text");
}

TEST_F(SessionMessage, NeedsTheNamespaceAndAConnection) {
  const std::array<int, 2> both = {own.Get(), launcher.Get()};
  const std::array<int, 2> other = {launcher.Get(), launcher.Get()};
  EXPECT_FALSE(IsHeard(start, {}));
  EXPECT_FALSE(IsHeard(start, std::span(both).first(1)));
  EXPECT_FALSE(IsHeard(start, other));
  EXPECT_TRUE(IsHeard(start, both));
  EXPECT_FALSE(ReceiveCall(holder.Get()).has_value()) << "nothing is there";
  ASSERT_EQ(::send(launcher.Get(), "text", 4, 0), 4);
  EXPECT_EQ(ReceiveReply(holder.Get()).error().code, ErrorCode::kSetupFailed);
}

// Of another version, perhaps, in our own namespace.
TEST_F(SessionMessage, NeedsItsForm) {
  const std::array<int, 2> both = {own.Get(), launcher.Get()};
  EXPECT_FALSE(IsHeard({'m', 'x', 'c', '2', 0, 0, 0, 0}, both));
  EXPECT_FALSE(IsHeard({'m', 'x', 'c', '3', 0, 0, 0}, both));
  EXPECT_TRUE(IsHeard(start, both));
}

TEST_F(SessionMessage, TellsAHolderThatIsGone) {
  const Result<UniqueFd> connection = SendCall(launcher.Get(), Verb::kStop);
  holder.Reset();
  EXPECT_EQ(SendCall(launcher.Get(), Verb::kStop).error().code, ErrorCode::kStaleId);
  EXPECT_EQ(ReceiveReply(connection->Get()).error().code, ErrorCode::kStaleId);
}

}  // namespace
}  // namespace mxc::session
