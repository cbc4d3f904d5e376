// Objects of a cluster, read; its clock; and the streams of an exec.
#include "kubernetes/cluster_objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <string>

#include "kubernetes/claim_clock.h"
#include "kubernetes/kubectl_answer.h"
#include "kubernetes/pod_stream.h"

namespace mxc::cluster_objects_test {
namespace {

using kubernetes::ClaimState;
using kubernetes::FailureOf;
using kubernetes::HeaderText;
using kubernetes::kHeaderBytes;
using kubernetes::kMaxPodDocument;
using kubernetes::KubectlFailure;
using kubernetes::MarkedStream;
using kubernetes::MarkOf;
using kubernetes::ObjectId;
using kubernetes::PodHeader;
using kubernetes::PodState;
using kubernetes::ReadClaim;
using kubernetes::ReadClaimEvent;
using kubernetes::ReadExpiredClaims;
using kubernetes::ReadHeader;
using kubernetes::ReadPod;
using kubernetes::ReadPodName;
using kubernetes::ReadPodTemplate;
using kubernetes::ReadTime;
using kubernetes::ServerClock;
using kubernetes::TimeText;
using kubernetes::WasUnsent;

constexpr ObjectId kClaim{.kind = "SandboxClaim", .name_space = "agents", .name = "mxc-1"};
constexpr ObjectId kSandbox{.kind = "Sandbox", .name_space = "agents", .name = "box"};
constexpr ObjectId kPod{.kind = "Pod", .name_space = "agents", .name = "p"};
constexpr ObjectId kClaims{.kind = "SandboxClaimList", .name_space = "agents"};

std::string ClaimText(const std::string& status) {
  return R"({"kind": "SandboxClaim", "metadata": {"name": "mxc-1", "namespace": "agents", "uid": "u", "labels": {"mxc-exec/owner": "me"},
             "creationTimestamp": "2026-11-24T10:00:00Z"}, "status": )" +
         status + "}";
}

std::string Condition(const std::string& state, const std::string& reason, const std::string& message = "",
                      const std::string& box = "box") {
  return R"({"conditions": [{"type": "Finished", "status": "True"}, {"type": "Ready", "status": ")" + state +
         R"(", "reason": ")" + reason + R"(", "message": ")" + message + R"("}], "sandbox": {"name": ")" +
         box + R"("}})";
}

TEST(ClusterObjects, AClaimIsReadyWhenItSaysSo) {
  const Result<ClaimState> ready = ReadClaim(ClaimText(Condition("True", "DependenciesReady")), kClaim);
  ASSERT_TRUE(ready);
  EXPECT_EQ(ready->sandbox, "box");
  EXPECT_EQ(ready->uid, "u");
  EXPECT_EQ(ready->owner, "me");
  const Result<ClaimState> waiting = ReadClaim(ClaimText(Condition("False", "SandboxNotReady")), kClaim);
  EXPECT_EQ(waiting->sandbox, "");
  EXPECT_EQ(waiting->reason, "SandboxNotReady");
  EXPECT_FALSE(waiting->failure);
  EXPECT_EQ(ReadClaim(ClaimText("{}"), kClaim)->sandbox, "");
  EXPECT_FALSE(ReadClaim("nonsense", kClaim));
  EXPECT_FALSE(ReadClaim(R"({"kind": "Pod"})", kClaim));
}

TEST(ClusterObjects, WhatDoesNotPassIsAFailure) {
  for (const char* reason :
       {"TemplateNotFound", "WarmPoolNotFound", "InvalidMetadata", "EnvVarsInjectionRejected",
        "VolumeClaimTemplatesError", "MultiplePods", "ClaimExpired", "SandboxExpired", "SandboxSuspended",
        "PodSucceeded", "PodFailed"}) {
    EXPECT_TRUE(ReadClaim(ClaimText(Condition("False", reason)), kClaim)->failure) << reason;
  }
  EXPECT_TRUE(
      ReadClaim(ClaimText(Condition("False", "SandboxNotReady", "exceeded quota: small")), kClaim)->failure);
  EXPECT_TRUE(
      ReadClaim(ClaimText(Condition("False", "SandboxNotReady", "ImagePullBackOff")), kClaim)->failure);
}

TEST(ClusterObjects, EventsOfAWatch) {
  const auto event = [](const std::string& type, const std::string& object) {
    return ReadClaimEvent(R"({"type": ")" + type + R"(", "object": )" + object + "}", kClaim);
  };
  EXPECT_TRUE(event("DELETED", ClaimText("{}"))->deleted);
  EXPECT_FALSE(event("MODIFIED", ClaimText("{}"))->deleted);
  EXPECT_FALSE(event("ERROR", R"({"kind": "Status", "code": 410})")->claim);
  EXPECT_FALSE(event("BOOKMARK", ClaimText("{}")));
  EXPECT_FALSE(event("ADDED", R"({"kind": "Status", "code": 410})"));
  EXPECT_FALSE(ReadClaimEvent("{\"type\": \"ADD", kClaim));
}

TEST(ClusterObjects, ThePodOfASandbox) {
  const auto pod = [](const std::string& annotations) {
    const Result<std::string> name =
        ReadPodName(R"({"kind": "Sandbox", "metadata": {"name": "box", "namespace": "agents", "uid": "s",
                        "annotations": )" +
                        annotations + "}}",
                    kSandbox);
    return name ? *name : "refused";
  };
  EXPECT_EQ(pod("{}"), "box");
  EXPECT_EQ(pod("null"), "box");
  EXPECT_EQ(pod(R"({"agents.x-k8s.io/pod-name": "p.1"})"), "p.1");
  for (const char* name :
       {R"("--kubeconfig=/x")", R"("../pods/other")", R"("")", R"("a b")", R"("A")", R"("a..b")", R"("-a")",
        R"("a-")", R"(".")", R"("a/b")", R"("a?b")", R"("a\u001b")", "1", "[]"})
    EXPECT_EQ(pod(std::string(R"({"agents.x-k8s.io/pod-name": )") + name + "}"), "refused") << name;
}

// The names go into paths of the API.
TEST(ClusterObjects, ASandboxHasAName) {
  for (const char* name : {"../secrets/x", "--kubeconfig=/x", "a?b", "a%2Fb", "A"})
    EXPECT_FALSE(ReadClaim(ClaimText(Condition("True", "Ready", "", name)), kClaim)) << name;
}

TEST(ClusterObjects, AnAnswerIsOfTheObjectThatWasAskedFor) {
  const auto read = [](const std::string& metadata, const std::string& more = "") {
    return ReadClaim(R"({"kind": "SandboxClaim", "metadata": {)" + metadata + "}" + more + "}", kClaim);
  };
  EXPECT_TRUE(read(R"("name": "mxc-1", "namespace": "agents", "uid": "u")"));
  for (const char* metadata :
       {R"("name": "mxc-2", "namespace": "agents", "uid": "u")", R"("namespace": "agents", "uid": "u")",
        R"("name": "mxc-1", "namespace": "other", "uid": "u")", R"("name": "mxc-1", "uid": "u")",
        R"("name": "mxc-1", "namespace": "agents")", R"("name": "mxc-1", "namespace": "agents", "uid": "")",
        R"("name": "mxc-1", "namespace": "agents", "uid": 5)",
        R"("name": ["mxc-1"], "namespace": "agents", "uid": "u")",
        R"("name": "mxc-1", "namespace": "agents", "uid": "u", "uid": "v")"})
    EXPECT_FALSE(read(metadata)) << metadata;
  const std::string good = R"("name": "mxc-1", "namespace": "agents", "uid": "u")";
  for (const char* more : {R"(, "metadata": {})", R"(, "kind": "Pod")", R"(, "a": {"b": 1, "\u0062": 2})"})
    EXPECT_FALSE(read(good, more)) << more;
}

TEST(ClusterObjects, WhatCannotBeReadSaysSo) {
  const std::string claim = ClaimText("{}");
  for (const std::string& text :
       {std::string(), std::string("x"), claim.substr(0, claim.size() - 3), claim + claim, claim + "x",
        "Warning: x\n" + claim, std::string("{\"kind\": \"\xff\"}")}) {
    const Result<ClaimState> read = ReadClaim(text, kClaim);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, ErrorCode::kUnavailable);
    EXPECT_THAT(
        read.error().message,
        testing::StartsWith("the API server's answer about the SandboxClaim 'mxc-1' cannot be read: "));
  }
  EXPECT_TRUE(ReadClaim(claim + "\n", kClaim));
}

TEST(ClusterObjects, APodRunsWhenItsContainerDoes) {
  const auto pod = [](const char* phase, const char* ready, const char* more = "") {
    return std::string(R"({"kind": "Pod", "metadata": {"name": "p", "namespace": "agents", "uid": "u")") +
           more + R"(}, "spec": {"containers": [{"name": "a"}, {"name": "b"}]}, "status": {"phase": ")" +
           phase + R"(", "containerStatuses": [{"name": "a", "ready": )" + ready + R"(}]}})";
  };
  EXPECT_TRUE(ReadPod(pod("Running", "true"), kPod, "")->ready);
  EXPECT_EQ(ReadPod(pod("Running", "true"), kPod, "")->container, "a");
  EXPECT_FALSE(ReadPod(pod("Running", "true"), kPod, "b")->ready);
  EXPECT_FALSE(ReadPod(pod("Pending", "true"), kPod, "")->ready);
  EXPECT_FALSE(ReadPod(pod("Running", "false"), kPod, "")->ready);
  EXPECT_FALSE(ReadPod(pod("Running", "true", R"(, "deletionTimestamp": "now")"), kPod, "")->ready);
  const Result<PodState> other = ReadPod(pod("Running", "true"), kPod, "c");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message, "the pod 'p' has no container 'c'");
}

TEST(ClusterObjects, AContainerHasAName) {
  for (const char* containers :
       {R"([{"name": "--help"}])", R"([{"name": "a b"}])", R"([{"name": "a.b"}])", R"([{}])",
        R"([{"name": 1}])", "[]", "{}", R"({"0": {"name": "a"}})", R"(["a"])"})
    EXPECT_FALSE(
        ReadPod(std::string(R"({"kind": "Pod", "metadata": {"name": "p", "namespace": "agents", "uid": "u"},
                         "spec": {"containers": )") +
                    containers + "}}",
                kPod, ""))
        << containers;
}

TEST(ClusterObjects, OnlyOursAndOnlyWhatIsOver) {
  const auto claim = [](const char* name, const char* by, const char* end, const char* owner = "x") {
    return std::string(R"({"metadata": {"namespace": "agents", "name": ")") + name + R"(", "uid": "u-)" +
           name + R"(", "resourceVersion": "7", "labels": {"app.kubernetes.io/managed-by": ")" + by +
           R"(", "mxc-exec/owner": ")" + owner + R"("}}, "spec": {"lifecycle": {"shutdownTime": ")" + end +
           R"("}}})";
  };
  const std::string list =
      R"({"kind": "SandboxClaimList", "items": [)" + claim("old", "mxc-exec", "2026-11-24T09:59:59Z") + "," +
      claim("new", "mxc-exec", "2026-11-24T10:00:00Z") + "," +
      claim("other", "helm", "2026-11-24T09:59:59Z") + "," +
      claim("nobodys", "mxc-exec", "2026-11-24T09:59:59Z", "") + "," + claim("odd", "mxc-exec", "?") + "]}";
  const auto expired = [](const std::string& text) {
    return ReadExpiredClaims(text, kClaims, "2026-11-24T10:00:00Z");
  };
  ASSERT_EQ(expired(list)->size(), 1U);
  EXPECT_EQ(expired(list)->front().name, "old");
  EXPECT_EQ(expired(list)->front().uid, "u-old");
  EXPECT_EQ(expired(list)->front().version, "7");
  std::string nameless = list;
  nameless.replace(nameless.find("u-old"), 5, "");
  EXPECT_FALSE(expired(nameless));
  EXPECT_FALSE(expired(R"({"kind": "SandboxClaimList", "items": [)" +
                       claim("../pods/x", "mxc-exec", "2026-11-24T09:59:59Z") + "]}"));
  EXPECT_FALSE(expired(R"({"items": []})"));
}

TEST(ClusterObjects, ThePodOfASandboxHasItForItsController) {
  const auto controller = [](const std::string& owners) {
    const Result<PodState> pod = ReadPod(
        R"({"kind": "Pod", "metadata": {"name": "p", "namespace": "agents", "uid": "u", "ownerReferences": )" +
            owners + R"(}, "spec": {"containers": [{"name": "a"}]}})",
        kPod, "");
    EXPECT_TRUE(pod);
    return pod ? pod->sandbox_uid : "unread";
  };
  const std::string ours =
      R"({"apiVersion": "agents.x-k8s.io/v1beta1", "kind": "Sandbox", "name": "s", "uid": "1", "controller": true})";
  EXPECT_EQ(controller("[" + ours + "]"), "1");
  EXPECT_EQ(controller(R"([{"apiVersion": "v1", "kind": "Other", "uid": "2"}, )" + ours + "]"), "1");
  EXPECT_EQ(controller("[]"), "");
  EXPECT_EQ(controller(R"([{"apiVersion": "agents.x-k8s.io/v1beta1", "kind": "Sandbox", "uid": "1"}])"), "");
  EXPECT_EQ(
      controller(
          R"([{"apiVersion": "apps/v1", "kind": "Sandbox", "name": "s", "uid": "1", "controller": true}])"),
      "");
}

TEST(ClusterObjects, ATemplateIsTakenForWhatItSays) {
  constexpr ObjectId kTemplate{.kind = "SandboxTemplate", .name_space = "agents", .name = "t"};
  const auto pod = [&](const std::string& spec) {
    return ReadPodTemplate(
        R"({"kind": "SandboxTemplate", "metadata": {"name": "t", "namespace": "agents", "uid": "u"}, "spec": )" +
            spec + "}",
        kTemplate);
  };
  EXPECT_EQ(*pod(R"({"podTemplate": {"metadata": {"labels": {"a": "b"}}, "spec": {"x": 1}}})"),
            R"({"metadata":{"labels":{"a":"b"}},"spec":{"x":1,"automountServiceAccountToken":false}})");
  EXPECT_EQ(*pod(R"({"podTemplate": {"spec": {"automountServiceAccountToken": true}}})"),
            R"({"spec":{"automountServiceAccountToken":true}})");  // which is judged
  EXPECT_FALSE(pod(R"({})"));
  EXPECT_FALSE(pod(R"({"podTemplate": {}})"));
  EXPECT_FALSE(pod(R"({"podTemplate": {"spec": {}, "spec": {}}})"));
  EXPECT_EQ(pod(R"({"podTemplate": {"spec": {}}, "volumeClaimTemplates": [{}]})").error().pointer,
            "/kubernetes/template");
}

TEST(ClusterObjects, ASandboxOfItsOwnIsReadLikeAClaim) {
  const Result<ClaimState> ready = ReadClaim(
      R"({"kind": "Sandbox", "metadata": {"name": "box", "namespace": "agents", "uid": "u"}, "status":)" +
          Condition("True", "DependenciesReady", "", "other") + "}",
      kSandbox);
  ASSERT_TRUE(ready);
  EXPECT_EQ(ready->sandbox, "box");
  const auto over = ReadExpiredClaims(
      R"({"kind": "SandboxList", "items": [{"metadata": {"name": "old", "namespace": "agents", "uid": "u",
          "resourceVersion": "7", "labels": {"app.kubernetes.io/managed-by": "mxc-exec", "mxc-exec/owner": "x"}},
          "spec": {"shutdownTime": "2026-11-24T10:00:00Z"}}]})",
      {.kind = "SandboxList", .name_space = "agents"}, "2026-11-24T10:00:01Z");
  ASSERT_TRUE(over);
  ASSERT_EQ(over->size(), 1U);
  EXPECT_EQ(over->front().name, "old");
}

// Nobody else's writing says when ours was.
TEST(ClusterObjects, AClaimSaysWhenItWasWritten) {
  const auto written = [](const std::string& fields, const char* writer) {
    return ReadClaim(
               R"({"kind": "SandboxClaim", "metadata": {"name": "mxc-1", "namespace": "agents", "uid": "u",
                       "managedFields": )" +
                   fields + "}}",
               kClaim, writer)
        ->written;
  };
  const std::string fields =
      R"([{"manager": "a", "time": "2026-11-24T10:00:00Z"}, {"manager": "b", "time": "2026-11-24T11:00:00Z"}, {}])";
  EXPECT_EQ(written(fields, "a"), "2026-11-24T10:00:00Z");
  EXPECT_EQ(written(fields, "c"), "");
  EXPECT_EQ(written(fields, ""), "");
  EXPECT_EQ(written("[]", "a"), "");
  EXPECT_EQ(written("7", "a"), "");
}

TEST(ClusterObjects, TimesThereAndBack) {
  EXPECT_EQ(ReadTime("1970-01-02T00:00:01Z"), 86401);
  EXPECT_EQ(TimeText(1795514400), "2026-11-24T10:00:00Z");
  EXPECT_EQ(ReadTime(TimeText(1795514400)), 1795514400);
  EXPECT_FALSE(ReadTime("2026-13-24T10:00:00Z"));
  EXPECT_FALSE(ReadTime("2026-11-24T10:00:00+01:00"));
}

// As a server whose clock is so far ahead has written it so long ago.
std::string Stamp(std::int64_t ahead_s, std::int64_t ago_s = 0) {
  return TimeText(static_cast<std::int64_t>(std::time(nullptr)) + ahead_s - ago_s);
}

TEST(ServerClock, IsWhatItWrites) {
  ServerClock clock;
  EXPECT_FALSE(clock.Learn(Stamp(1), 0));
  EXPECT_EQ(clock.AheadSeconds(), 0);
  for (const std::int64_t ahead : {30, -30, 100000}) {
    EXPECT_TRUE(clock.Learn(Stamp(ahead), 0));
    EXPECT_NEAR(static_cast<double>(clock.AheadSeconds()), static_cast<double>(ahead), 1.0);
    EXPECT_NEAR(static_cast<double>(clock.Now() - std::time(nullptr)), static_cast<double>(ahead), 2.0);
  }
  EXPECT_FALSE(clock.Learn("", 0));
  EXPECT_FALSE(clock.Learn("yesterday", 0));
  EXPECT_NEAR(static_cast<double>(clock.AheadSeconds()), 100000.0, 1.0);
}

// An answer that was long under way says no more than that.
TEST(ServerClock, ASlowAnswerIsNoOtherClock) {
  ServerClock clock;
  EXPECT_FALSE(clock.Learn(Stamp(0, 14), 15000));
  EXPECT_EQ(clock.AheadSeconds(), 0);
  EXPECT_TRUE(clock.Learn(Stamp(60, 14), 15000));
  EXPECT_NEAR(static_cast<double>(clock.AheadSeconds()), 46.0, 1.0);
  EXPECT_TRUE(clock.Learn(Stamp(60), 0));
  EXPECT_NEAR(static_cast<double>(clock.AheadSeconds()), 60.0, 1.0);
}

TEST(KubectlAnswers, AreRefusalsOrPass) {
  const auto failure = [](const char* text) { return FailureOf({.exit_code = 1, .err = text}); };
  EXPECT_EQ(failure("Error from server (AlreadyExists): x"), KubectlFailure::kExists);
  EXPECT_EQ(failure("Error from server (NotFound): x"), KubectlFailure::kNotFound);
  EXPECT_EQ(
      failure(
          "Error from server (Conflict): Precondition failed: UID in precondition: a, UID in object meta: b"),
      KubectlFailure::kChanged);
  EXPECT_EQ(failure("Error from server (Forbidden): x"), KubectlFailure::kRefused);
  EXPECT_EQ(failure("error: You must be logged in to the server (Unauthorized)"), KubectlFailure::kRefused);
  EXPECT_EQ(failure("Error from server (TooManyRequests): x"), KubectlFailure::kPassing);
  EXPECT_EQ(failure("Unable to connect to the server: EOF"), KubectlFailure::kPassing);
}

// Without a doubt: what kubectl had to say it sent to nobody. The last line counts, which is kubectl's own:
// a plug-in of its may have tried something else before.
TEST(KubectlAnswers, SayThatNothingWasSent) {
  const auto unsent = [](const std::string& text) { return WasUnsent({.exit_code = 1, .err = text}); };
  for (const char* text : {
           "The connection to the server 127.0.0.1:1 was refused - did you specify the right host or port?",
           "Unable to connect to the server: dial tcp: lookup no-such-host on 10.0.0.1:53: no such host",
           "Unable to connect to the server: dial tcp 10.0.0.1:443: connect: no route to host",
           "Unable to connect to the server: proxyconnect tcp: dial tcp 10.0.0.1:3128: i/o timeout",
           "Unable to connect to the server: getting credentials: exec: executable /bin/false failed",
           "Unable to connect to the server: x509: certificate signed by unknown authority",
           "Unable to connect to the server: tls: failed to verify certificate: x509: unknown authority",
           "Unable to connect to the server: remote error: tls: handshake failure",
           "Unable to connect to the server: http: server gave HTTP response to HTTPS client",
           "error: context \"other\" does not exist",
           "error: stat missing.conf: no such file or directory",
           "error: error loading config file \"x\": yaml: line 1: did not find expected node content",
           "error: exec plugin: invalid apiVersion \"client.authentication.k8s.io/v1\"",
           "error: error reading input for Password",
       }) {
    EXPECT_TRUE(unsent(text)) << text;
    EXPECT_TRUE(unsent(std::string("E1126 01:24 memcache.go:265] \"Unhandled Error\"\n") + text + "\n"))
        << text;
    EXPECT_FALSE(unsent(std::string(text) + "\nUnable to connect to the server: EOF\n")) << text;
  }
  for (const char* text : {
           "",
           "Unable to connect to the server: EOF",
           "Unable to connect to the server: net/http: TLS handshake timeout",
           "Unable to connect to the server: read tcp 127.0.0.1:2->127.0.0.1:1: read: connection reset by "
           "peer",
           "Unable to connect to the server: context deadline exceeded",
           "Unable to connect to the server: read tcp 127.0.0.1:2->127.0.0.1:1: i/o timeout",
           "Error from server (InternalError): dial tcp 10.0.0.1:8443: connect: connection refused",
           "Error from server: The connection to the server x was refused - did you specify the right host",
           "error: unexpected EOF",
       })
    EXPECT_FALSE(unsent(text)) << text;
}

constexpr const char* kToken = "0123456789abcdef0123456789abcdef";

TEST(PodStream, TheHeaderComesBack) {
  const std::string text = HeaderText({.token = kToken, .document = 1234});
  ASSERT_EQ(text.size(), kHeaderBytes);
  const std::optional<PodHeader> header = ReadHeader(text);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->token, kToken);
  EXPECT_EQ(header->document, 1234U);
  EXPECT_FALSE(ReadHeader(text.substr(1) + "x"));
  EXPECT_FALSE(ReadHeader(HeaderText({.token = kToken, .document = kMaxPodDocument + 1})));
}

// However the bytes come, what is before the mark is passed on, and what is behind it is the report.
TEST(PodStream, TheMarkEndsTheStreamHoweverItIsCut) {
  const std::string said =
      "one\x1e"
      "mxc-end 0123\ntwo\x1e";
  const std::string whole = said + MarkOf(kToken) + "report\n";
  for (std::size_t step = 1; step < whole.size(); ++step) {
    MarkedStream stream(kToken);
    std::string passed;
    for (std::size_t at = 0; at < whole.size(); at += step) passed += stream.Feed(whole.substr(at, step));
    EXPECT_EQ(passed, said) << step;
    EXPECT_TRUE(stream.Complete());
    EXPECT_EQ(stream.Behind(), "report\n");
  }
}

TEST(PodStream, WithoutItsMarkItIsIncomplete) {
  const std::string whole = "text" + MarkOf(kToken);
  for (std::size_t end = 0; end < whole.size(); ++end) {
    MarkedStream stream(kToken);
    std::string passed = stream.Feed(whole.substr(0, end));
    passed += stream.Rest();
    EXPECT_EQ(passed, whole.substr(0, end));
    EXPECT_FALSE(stream.Complete());
  }
  MarkedStream stream(kToken);
  EXPECT_EQ(stream.Feed(MarkOf("another")) + stream.Rest(), MarkOf("another"));
  EXPECT_FALSE(stream.Complete());
}

}  // namespace
}  // namespace mxc::cluster_objects_test
