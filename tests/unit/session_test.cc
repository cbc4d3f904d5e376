// Identifiers of persistent sandboxes, and what daemon and launcher say to each other.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <span>
#include <utility>

#include "base/passed_fds.h"
#include "base/peer.h"
#include "mxc/limits.h"
#include "persistent/id.h"
#include "persistent/message.h"
#include "persistent/reply.h"
#include "report/hidden_values.h"
#include "tests/support/needs.h"
#include "tests/support/run_in_child.h"

namespace mxc::session::session_test {
namespace {

using ::testing::MatchesRegex;

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
  EXPECT_EQ(id->TextForSdk(), "iso:" + id->Name());
  EXPECT_EQ(ParseSandboxId(id->TextForSdk())->Text(), id->Text());
  EXPECT_THAT(NewSandboxId(Containment::kBubblewrap)->Text(), MatchesRegex("bwrap:[0-9a-f]{32}"));
  EXPECT_THAT(NewSandboxId(Containment::kKubernetes)->Text(), MatchesRegex("k8s:[0-9a-f]{32}"));
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
  const auto read = ParseOk(ErrorText(error));
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, ErrorCode::kNotStarted);
  EXPECT_EQ(read.error().message + read.error().pointer + read.error().hint, "m/ph");
  EXPECT_TRUE(ParseOk(OkText({})).ok());
}

// Who asks the daemon to stop the sandbox does not know its variables.
TEST(SessionReply, HidesValuesOfTheSandboxsVariables) {
  const std::string value = "sessionMARK-6f1d2";
  HideValues({{.name = "API_TOKEN", .value = Secret{value}}});
  const auto warnings = ParseOk(OkText({{.category = "c", .message = "left /w/" + value + "/.git"}}));
  ASSERT_TRUE(warnings.ok());
  EXPECT_EQ(warnings->front().message, "left /w/[REDACTED]/.git");
  const auto refused = ParseOk(ErrorText({.message = "no " + value, .hint = "rm " + value}));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message + refused.error().hint, "no [REDACTED]rm [REDACTED]");
}

TEST(SessionReply, CarriesVariablesThatLookSecret) {
  const auto read = ParseSecrets(SecretsText(
      {{.name = "PATH", .value = Secret{"/bin"}}, {.name = "API_TOKEN", .value = Secret{"t\xff\n"}}}));
  ASSERT_TRUE(read.ok());
  ASSERT_EQ(read->size(), 1U);
  EXPECT_EQ(read->front().name + std::string(read->front().value.Reveal()), "API_TOKENt\xff\n");
  EXPECT_FALSE(ParseSecrets(OkText({})).ok());
}

TEST(SessionReply, CarriesWhatThePolicySays) {
  Plan plan{.containment = Containment::kNamespaces,
            .tier = Tier::kContainer,
            .isolation_level = IsolationLevel::kNamespaces};
  LinuxSandbox& sandbox = plan.launch.emplace<NamespacesLaunch>().sandbox;
  sandbox.cwd = "/a\xff";
  sandbox.environment = {{.name = "A", .value = Secret{"\x01\xfe"}}};
  plan.output = {.max_bytes = 7, .redact_secrets = true};
  plan.audit = {.path = "/log", .on_failure = Audit::OnFailure::kWarn};
  plan.not_covered = {"something"};
  plan.ledger = {{.pointer = "/p", .strength = Strength::kTrustedProcess, .mechanism = "m"}};
  const FileObject object{.device = 3, .inode = 4};
  sandbox.mounts = {
      BindMount{.source = "/ro", .target = "/ro"},
      BindMount{.source = "/rw", .target = "/rw", .access = Access::kReadWrite, .object = object}};
  plan.resources = {{.resource = Resource::kMemory, .amount = 9, .pointer = "/resources/memoryMb"}};
  RunGroup group{.directory = "/group"};
  group.plan.settings = {{.file = "memory.max", .value = "9"}};
  const Result<SandboxEntry> entry = ParseEntry(EntryText(plan, {group}));
  ASSERT_TRUE(entry.ok());
  ASSERT_EQ(entry->groups.size(), 1U);
  EXPECT_EQ(entry->groups[0].ProcessDirectory() + entry->groups[0].plan.settings.at(0).file,
            "/groupmemory.max");
  const Plan& read = entry->plan;
  ASSERT_EQ(read.resources.size(), 1U);
  EXPECT_EQ(read.resources[0].amount, 9U);
  EXPECT_EQ(read.containment, Containment::kNamespaces);
  EXPECT_EQ(read.tier, Tier::kContainer);
  EXPECT_EQ(LinuxSandboxOf(read.launch)->cwd, "/a\xff");
  ASSERT_EQ(LinuxSandboxOf(read.launch)->environment.size(), 1U);
  EXPECT_EQ(LinuxSandboxOf(read.launch)->environment[0].value.Reveal(), "\x01\xfe");
  ASSERT_EQ(LinuxSandboxOf(read.launch)->mounts.size(), 2U) << "what can be read and written";
  const auto& mount = std::get<BindMount>(LinuxSandboxOf(read.launch)->mounts[1]);
  EXPECT_EQ(mount.source, "/rw");
  ASSERT_TRUE(mount.object.has_value());
  EXPECT_EQ(mount.object->inode, 4U);
  EXPECT_EQ(read.not_covered, plan.not_covered);
  ASSERT_EQ(read.ledger.size(), 1U);
  EXPECT_EQ(read.ledger[0].pointer + read.ledger[0].mechanism, "/pm");
  EXPECT_EQ(read.ledger[0].strength, Strength::kTrustedProcess);
  EXPECT_EQ(read.output.max_bytes, 7U);
  EXPECT_TRUE(read.output.redact_secrets);
  EXPECT_FALSE(read.output.redact_pii);
  EXPECT_EQ(read.audit.on_failure, Audit::OnFailure::kWarn);
}

// A record may be in what covers a part of a grant; a pin covers nothing.
TEST(SessionReply, CarriesWhatCommandsSee) {
  Plan plan;
  LinuxSandbox& sandbox = plan.launch.emplace<NamespacesLaunch>().sandbox;
  const FileObject object{.device = 3, .inode = 4};
  sandbox.mounts = {BindMount{.source = "/rw", .target = "/rw", .access = Access::kReadWrite},
                    BindMount{.source = "/rw/a", .target = "/rw/a"},
                    BindMount{.source = "/rw/a/b", .target = "/rw/a/b", .pin = true},
                    TmpfsMount{.target = "/rw/a/b", .object = object},
                    TmpfsMount{.target = "/tmp"},
                    FileMask{.target = "/rw/l", .object = object}};
  const Result<SandboxEntry> read = ParseEntry(EntryText(plan, {}));
  ASSERT_TRUE(read.ok());
  std::string text;
  for (const MountNode& node : LinuxSandboxOf(read->plan.launch)->mounts) {
    if (const auto* bind = std::get_if<BindMount>(&node))
      text += bind->source + (bind->access == Access::kReadWrite ? " rw\n" : " ro\n");
    if (const auto* mask = std::get_if<FileMask>(&node))
      text += mask->target + (mask->object ? " denied\n" : " ?\n");
  }
  EXPECT_EQ(text, "/rw rw\n/rw/a ro\n/rw/a/b denied\n/rw/l denied\n");
}

TEST(SessionReply, RefusesWhatIsNone) {
  for (const std::string text : {"", "nonsense", "x", "xx", "e"}) EXPECT_FALSE(ParseEntry(text).ok());
  EXPECT_FALSE(ParseEntry(OkText({})).ok());
  const std::string whole = ListedText({.id = "a"});
  EXPECT_TRUE(ParseListed(whole).ok());
  EXPECT_FALSE(ParseListed(whole + "a").ok());
  EXPECT_FALSE(ParseListed(whole.substr(0, whole.size() - 1)).ok());
  EXPECT_FALSE(ParseListed(OkText({})).ok());
}

constexpr const char* kName = "ns-0123456789abcdef0123456789abcdef";

class SessionMessage : public ::testing::Test {
 protected:
  void SetUp() override {
    int ends[2] = {-1, -1};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    launcher.Reset(ends[0]);
    daemon.Reset(ends[1]);
  }
  // Bytes as anybody could send them.
  [[nodiscard]] Call::State Heard(const std::string& bytes) const {
    EXPECT_EQ(::send(launcher.Get(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
    return ReceiveCall(daemon.Get(), kName).state;
  }
  [[nodiscard]] static std::string Bytes(const std::string& magic, const std::string& name) {
    std::string text = magic + std::string(4, '\0') + name;
    text.resize(72);
    return text;
  }
  UniqueFd launcher, daemon;
};

TEST_F(SessionMessage, GoesBothWays) {
  EXPECT_EQ(ReceiveCall(daemon.Get(), kName).state, Call::State::kNone);
  ASSERT_TRUE(SendCall(launcher.Get(), Verb::kStop, kName).ok());
  const Call call = ReceiveCall(daemon.Get(), kName);
  ASSERT_EQ(call.state, Call::State::kGiven);
  EXPECT_EQ(call.verb, Verb::kStop);
  ASSERT_TRUE(SendReply(daemon.Get(), "text").ok());
  EXPECT_EQ(*ReceiveReply(launcher.Get()), "text");
}

// Without a reader, too: the daemon does not wait for one.
TEST_F(SessionMessage, AnswersOfAnyLengthAreWhole) {
  for (const std::size_t size : {32768U, 32769U, 300000U, 5000000U}) {
    const std::string text = std::string(size - 1, 'x') + "y";
    ASSERT_TRUE(SendReply(daemon.Get(), text).ok());
    const Result<std::string> heard = ReceiveReply(launcher.Get());
    ASSERT_TRUE(heard.ok()) << size;
    EXPECT_TRUE(*heard == text) << size;
  }
}

TEST_F(SessionMessage, AnAnswerBringsTheMultiplexerToWhomItIsFor) {
  const UniqueFd sent{::open("/dev/ptmx", O_PATH | O_CLOEXEC)};
  for (const std::size_t size : {2U, 300000U}) {
    for (const int multiplexer : {sent.Get(), -1}) {
      const std::string text(size, 'x');
      UniqueFd got;
      ASSERT_TRUE(SendReply(daemon.Get(), text, multiplexer).ok());
      EXPECT_TRUE(*ReceiveReply(launcher.Get(), &got) == text) << size;
      EXPECT_EQ(static_cast<bool>(got), multiplexer >= 0) << size;
      ASSERT_TRUE(SendReply(daemon.Get(), text, multiplexer).ok());
      EXPECT_TRUE(*ReceiveReply(launcher.Get()) == text) << size;
    }
  }
}

TEST_F(SessionMessage, AnAnswerOverTheBoundIsRefusedAtBothEnds) {
  EXPECT_EQ(SendReply(daemon.Get(), std::string(kMaxReplyBytes + 1, 'x')).error().code,
            ErrorCode::kSetupFailed);
  const UniqueFd file{::memfd_create("long", MFD_CLOEXEC)};
  ASSERT_EQ(::ftruncate(file.Get(), static_cast<off_t>(kMaxReplyBytes + 1)), 0);
  const int fd = file.Get();
  ASSERT_EQ(SendWithFds(daemon.Get(), "f", 1, std::span(&fd, 1)), 1);
  EXPECT_EQ(ReceiveReply(launcher.Get()).error().code, ErrorCode::kSetupFailed);
}

TEST_F(SessionMessage, IsForOneSandbox) {
  ASSERT_TRUE(SendCall(launcher.Get(), Verb::kExec, "ns-0123456789abcdef0123456789abcdee").ok());
  EXPECT_EQ(ReceiveCall(daemon.Get(), kName).state, Call::State::kWrong);
}

TEST_F(SessionMessage, NeedsItsForm) {
  EXPECT_EQ(Heard(Bytes("mxc5", kName)), Call::State::kGiven);
  EXPECT_EQ(Heard(Bytes("mxc4", kName)), Call::State::kWrong);
  EXPECT_EQ(Heard(Bytes("mxc5", "")), Call::State::kWrong);
  EXPECT_EQ(Heard(Bytes("mxc5", kName) + "x"), Call::State::kWrong);
  EXPECT_EQ(Heard("mxc5"), Call::State::kWrong);
  launcher.Reset();
  EXPECT_EQ(ReceiveCall(daemon.Get(), kName).state, Call::State::kWrong) << "the end";
}

TEST_F(SessionMessage, TellsAHolderThatIsGone) {
  daemon.Reset();
  EXPECT_EQ(SendCall(launcher.Get(), Verb::kStop, kName).error().code, ErrorCode::kStaleId);
  EXPECT_EQ(ReceiveReply(launcher.Get()).error().code, ErrorCode::kStaleId);
}

// In pid and user namespaces of its own, as a command is, with a listening socket that both sides share.
class SessionPeer : public test::NamespacesTest {
 protected:
  void SetUp() override {
    test::NamespacesTest::SetUp();
    listening.Reset(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    address.sun_family = AF_UNIX;
    const std::string path = scratch.Path("socket");
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
    ASSERT_EQ(::bind(listening.Get(), generic, sizeof address), 0);
  }
  [[nodiscard]] UniqueFd Connected() const {
    UniqueFd socket{::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)};
    const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
    return ::connect(socket.Get(), generic, sizeof address) == 0 ? std::move(socket) : UniqueFd{};
  }
  // `act` in the namespaces; the process stays there until `done` is closed.
  [[nodiscard]] bool Inside(const std::function<bool()>& act, const std::function<bool()>& look) const {
    int ready[2] = {-1, -1};
    int done[2] = {-1, -1};
    if (::pipe(ready) != 0 || ::pipe(done) != 0) return false;
    const pid_t outer = ::fork();
    if (outer == 0) {
      ::close(done[1]);
      if (::unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) ::_exit(1);
      const pid_t inner = ::fork();
      char byte = 0;
      if (inner == 0) {
        if (!act() || ::write(ready[1], "r", 1) != 1) ::_exit(1);
        ::_exit(::read(done[0], &byte, 1) == 0 ? 0 : 1);
      }
      ::close(ready[1]);
      int status = 0;
      ::waitpid(inner, &status, 0);
      ::_exit(status == 0 ? 0 : 1);
    }
    ::close(ready[1]);
    ::close(done[0]);
    char byte = 0;
    const bool acted = ::read(ready[0], &byte, 1) == 1;
    const bool looked = acted && look();
    ::close(done[1]);
    ::close(ready[0]);
    int status = 0;
    ::waitpid(outer, &status, 0);
    return looked;
  }

  mxc::test::ScratchDirectory scratch;
  UniqueFd listening;
  sockaddr_un address{};
};

TEST_F(SessionPeer, OutsideIsSpokenTo) {
  ASSERT_EQ(::listen(listening.Get(), 1), 0);
  const UniqueFd launcher = Connected();
  ASSERT_TRUE(launcher);
  EXPECT_EQ(PeerOutsideSandboxes(launcher.Get()), ::getpid());
  const UniqueFd accepted{::accept(listening.Get(), nullptr, nullptr)};
  EXPECT_EQ(PeerOutsideSandboxes(accepted.Get()), ::getpid());
}

TEST_F(SessionPeer, AListenerInsideHearsNothing) {
  EXPECT_TRUE(Inside([&] { return ::listen(listening.Get(), 1) == 0; },
                     [&] {
                       const UniqueFd launcher = Connected();
                       EXPECT_EQ(SendCall(launcher.Get(), Verb::kStatus, kName).error().code,
                                 ErrorCode::kSetupFailed);
                       const UniqueFd accepted{::accept(listening.Get(), nullptr, nullptr)};
                       char byte = 0;
                       return accepted && ::recv(accepted.Get(), &byte, 1, MSG_DONTWAIT) < 0;
                     }));
}

TEST_F(SessionPeer, ACallerInsideIsNotHeard) {
  ASSERT_EQ(::listen(listening.Get(), 1), 0);
  EXPECT_TRUE(Inside([&] { return Connected().Release() >= 0; },
                     [&] {
                       const UniqueFd accepted{::accept(listening.Get(), nullptr, nullptr)};
                       return accepted && PeerOutsideSandboxes(accepted.Get()) == 0;
                     }));
}

TEST_F(SessionPeer, ADeadListenerIsNobody) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(::listen(listening.Get(), 1));
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  const UniqueFd launcher = Connected();
  ASSERT_TRUE(launcher);
  EXPECT_EQ(PeerOutsideSandboxes(launcher.Get()), 0);
}

// Another user who takes an abstract name is nobody, whether or not he answers.
TEST(AbstractName, IsOfWhoeverListensThere) {
  const std::string name = "mxc-test-" + std::to_string(::getpid());
  EXPECT_FALSE(IsListenedOutsideSandboxes(name)) << "nobody";
  EXPECT_FALSE(ListenerAt(name)) << "nobody";
  EXPECT_FALSE(IsNameBound(name)) << "nobody";
  EXPECT_FALSE(IsListenedOutsideSandboxes(std::string(200, 'x')));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  name.copy(address.sun_path + 1, name.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  UniqueFd listening{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  ASSERT_EQ(::bind(listening.Get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
  EXPECT_TRUE(IsNameBound(name));
  EXPECT_FALSE(ListenerAt(name)) << "it does not listen yet";
  ASSERT_EQ(::listen(listening.Get(), 5), 0);
  EXPECT_TRUE(IsListenedOutsideSandboxes(name));
  EXPECT_EQ(ListenerAt(name), ::geteuid());
  if (::geteuid() != 0) return;
  const pid_t child = ::fork();
  if (child == 0) {
    // The kernel notes who has called listen().
    ::_exit(::setresuid(1, 1, 1) == 0 && ::listen(listening.Get(), 5) == 0 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  EXPECT_FALSE(IsListenedOutsideSandboxes(name));
  EXPECT_EQ(ListenerAt(name), 1U);
}

}  // namespace
}  // namespace mxc::session::session_test
