// NetworkPolicies that look closed and are not: one row per way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/pod_documents.h"

namespace mxc::judge_network_attacks_test {
namespace {

using pod_documents::OfPolicies;
using testing::Contains;
using testing::IsEmpty;
using testing::StartsWith;

std::vector<std::string> With(const std::string& member, const std::string& value) {
  return OfPolicies(R"({"op": "add", "path": "/items/0/spec/)" + member + R"(", "value": )" + value + "}");
}

TEST(NetworkAttacks, EverybodyComesIn) {
  for (
      const char* rules :
      {R"([{}])",
       R"([{"from": []}])",
       R"([{"from": null}])",
       R"([{"ports": [{"port": 22}]}])",
       R"([{"ports": [{"port": 53}]}])",
       R"([{"from": [{}]}])",
       R"([{"from": [{"fooSelector": {}}]}])",
       R"([{"from": [{"podSelector": {}}]}])",
       R"([{"from": [{"namespaceSelector": {}}]}])",
       R"([{"from": [{"namespaceSelector": {}, "podSelector": {}}]}])",
       R"([{"from": {}}])",
       R"([{"from": "x"}])",
       R"([{"from": ["x"]}])",
       R"("x")",
       R"({"0": {"from": [{"podSelector": {}}]}})",
       R"(["x"])",
       R"([{"sources": []}])",
       R"([{"from": [{"podSelector": {"matchExpressions": [{"key": "a", "operator": "DoesNotExist"}]}}]}])",
       R"([{"from": [{"podSelector": {"matchFoo": {}}}]}])",
       R"([{"from": [{"podSelector": {"matchLabels": "x"}}]}])",
       R"([{"from": [{"ipBlock": {"cidr": "0.0.0.0/0"}}]}])",
       R"([{"from": [{"ipBlock": {"cidr": "::/0"}}]}])",
       R"([{"from": [{"ipBlock": {"cidr": "0.0.0.0/1"}}, {"ipBlock": {"cidr": "128.0.0.0/1"}}]}])",
       R"([{"from": [{"ipBlock": {"cidr": "10.0.0.0/9"}}]}, {"from": [{"ipBlock": {"cidr": "10.128.0.0/9"}}]}])",
       R"([{"from": [{"ipBlock": {"cidr": "0.0.0.0/0", "except": ["8.8.8.8/32"]}}]}])",
       R"([{"from": [{"ipBlock": {"cidr": "x"}}]}])",
       R"([{"from": [{"ipBlock": {}}]}])",
       R"([{"from": [{"ipBlock": {"cidr": "1.2.3.4/32", "but": 1}}]}])",
       R"([{"from": [{"ipBlock": {"cidr": "1.2.3.4/32"}, "podSelector": {"matchLabels": {"a": "b"}}}]}])"})
    EXPECT_THAT(With("ingress", rules), Contains(StartsWith("network-open "))) << rules;
}

TEST(NetworkAttacks, SomeMayComeIn) {
  for (const char* rules :
       {"[]", "null", R"([{"from": [{"podSelector": {"matchLabels": {"app": "probe"}}}]}])",
        R"([{"from": [{"ipBlock": {"cidr": "10.1.2.3/32"}}], "ports": [{"port": 80}]}])",
        R"([{"from": [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "probe"}}}]}])",
        R"([{"from": [{"namespaceSelector": {}, "podSelector": {"matchLabels": {"app": "probe"}}}]}])"})
    EXPECT_THAT(With("ingress", rules), IsEmpty()) << rules;
}

TEST(NetworkAttacks, ItGetsOut) {
  for (
      const char* rules :
      {R"("x")",
       R"({})",
       R"(["x"])",
       R"([{"to": "x"}])",
       R"([{"to": {}}])",
       R"([{"to": [{}]}])",
       R"([{"to": ["x"]}])",
       R"([{"to": [{"fooSelector": {}}]}])",
       R"([{"targets": []}])",
       R"([{"to": [{"podSelector": {}}]}])",
       R"([{"to": [{"namespaceSelector": {"matchExpressions": [{"key": "a", "operator": "Exists"}]}}]}])",
       R"([{"to": [{"namespaceSelector": {"matchExpressions": [{"key": "a", "operator": "DoesNotExist"}]}}]}])",
       R"([{"to": [{"namespaceSelector": {"matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["b"]}]}}]}])",
       R"([{"to": [{"namespaceSelector": {"matchExpressions": [{"key": "a", "operator": "In", "values": []}]}}]}])",
       R"([{"to": [{"namespaceSelector": {"matchExpressions": [{"key": "a", "operator": "Like", "values": ["b"]}]}}]}])",
       R"([{"to": [{"namespaceSelector": {"matchExpressions": {}}}]}])",
       R"([{"to": [{"namespaceSelector": {}, "podSelector": {"matchExpressions": [{"key": "z", "operator": "DoesNotExist"}]}}]}])",
       R"([{"to": [{"namespaceSelector": "x"}]}])",
       R"([{"ports": [{"port": 53, "endPort": 65535}]}])",
       R"([{"ports": [{"port": 53, "endPort": "65535"}]}])",
       R"([{"ports": [{"port": "53"}]}])",
       R"([{"ports": [{"port": 53.0}]}])",
       R"([{"ports": [{"port": 4294967349}]}])",
       R"([{"ports": [{"port": 53, "protocol": "SCTP"}]}])",
       R"([{"ports": [{"port": 53, "to": 99}]}])",
       R"([{"ports": [{"port": 53}, {"port": 443}]}])",
       R"([{"ports": {"0": {"port": 53}}}])",
       R"([{"to": [{"ipBlock": {"cidr": "::ffff:10.0.0.0/104"}}]}])",
       R"([{"to": [{"ipBlock": {"cidr": "64:ff9b::/96"}}]}])",
       R"([{"to": [{"ipBlock": {"cidr": "64:ff9b::a00:0/104"}}]}])",
       R"([{"to": [{"ipBlock": {"cidr": "64:ff9b:1::/48"}}]}])",
       R"([{"to": [{"ipBlock": {"cidr": "::/0", "except": ["fc00::/7", "fe80::/10"]}}]}])",
       R"([{"to": [{"ipBlock": {"cidr": "::ffff:0:0/95"}}]}])",
       R"([{"to": [{"ipBlock": {"cidr": "10.0.0.0/8", "except": "10.0.0.0/8"}}]}])",
       R"([{"to": [{"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.0.0.0/9", "10.128.0.0/10"]}}]}])",
       R"([{"to": [{"ipBlock": "10.0.0.0/8"}]}])",
       R"([{"to": [{"ipBlock": {"cidr": 10}}]}])"})
    EXPECT_THAT(With("egress", rules), Contains(StartsWith("network-open "))) << rules;
}

TEST(NetworkAttacks, SomeOfItMayBeReached) {
  for (
      const char* rules :
      {"[]", "null", R"([{"to": [{"ipBlock": {"cidr": "::ffff:8.8.8.0/120"}}]}])",
       R"([{"to": [{"ipBlock": {"cidr": "10.0.0.0/7", "except": ["10.0.0.0/9", "10.128.0.0/9"]}}]}])",
       R"([{"to": [{"ipBlock": {"cidr": "::/0", "except": ["fc00::/7", "fe80::/10", "::ffff:0:0/96", "64:ff9b::/96",
            "64:ff9b:1::/48"]}}]}])",
       R"([{"to": [{"podSelector": {"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}}]}])",
       R"([{"to": [{"podSelector": {"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "c", "operator": "Exists"}]}}]}])",
       R"([{"ports": [{"port": 53, "protocol": "UDP"}, {"port": 53, "protocol": "TCP"}]}])"})
    EXPECT_THAT(With("egress", rules), IsEmpty()) << rules;
}

TEST(NetworkAttacks, WhatCannotBeReadSelectsNobodyAndOpens) {
  for (const char* selector :
       {R"({"matchFoo": {}})", R"("x")", R"({"matchLabels": "x"})", R"({"matchLabels": {"app": 1}})",
        R"({"matchExpressions": [{"key": "app", "operator": "Like", "values": ["agent"]}]})",
        R"({"matchExpressions": [{"key": "app", "operator": "In"}]})", R"({"matchExpressions": "x"})",
        "null"}) {
    EXPECT_THAT(With("podSelector", selector), Contains("network-policy NetworkPolicy")) << selector;
    const std::string open =
        R"({"op": "add", "path": "/items/-", "value": {"metadata": {"namespace": "agents"},
                                 "spec": {"policyTypes": ["Egress"], "egress": [{}], "podSelector": )";
    EXPECT_THAT(OfPolicies(open + selector + "}}}"), Contains(StartsWith("network-open "))) << selector;
  }
}

TEST(NetworkAttacks, ADirectionIsGovernedWhenItIsSaid) {
  for (const char* types :
       {R"("Egress")", R"(["ingress", "egress"])", "[]", R"({"Ingress": 1, "Egress": 1})"})
    EXPECT_THAT(With("policyTypes", types), Contains("network-policy NetworkPolicy")) << types;
  // Without types, Egress is one where there are rules for it.
  const std::string none = R"({"op": "remove", "path": "/items/0/spec/policyTypes"})";
  const std::string rules = R"(, {"op": "add", "path": "/items/0/spec/egress", "value": )";
  EXPECT_EQ(OfPolicies(none).size(), 1U);
  EXPECT_EQ(OfPolicies(none + rules + "[]}").size(), 1U);
  EXPECT_THAT(OfPolicies(none + rules + R"([{"to": [{"ipBlock": {"cidr": "8.8.8.8/32"}}]}]})"), IsEmpty());
  EXPECT_THAT(
      OfPolicies(
          R"({"op": "add", "path": "/items/0/metadata/deletionTimestamp", "value": "2026-11-24T13:00:00Z"})"),
      Contains("network-policy NetworkPolicy"));
}

TEST(NetworkAttacks, TheListIsWholeAndOfThisNamespace) {
  for (const char* patch : {R"({"op": "add", "path": "/metadata/continue", "value": "abc"})",
                            R"({"op": "add", "path": "/metadata/continue", "value": 1})",
                            R"({"op": "add", "path": "/metadata/remainingItemCount", "value": 5})",
                            R"({"op": "replace", "path": "/items/0/metadata/namespace", "value": "other"})",
                            R"({"op": "remove", "path": "/items/0/metadata/namespace"})",
                            R"({"op": "replace", "path": "/kind", "value": "Status"})",
                            R"({"op": "add", "path": "/items/-", "value": "x"})",
                            R"({"op": "replace", "path": "/items", "value": {}})",
                            R"({"op": "replace", "path": "/items", "value": null})",
                            R"({"op": "replace", "path": "/metadata", "value": []})"})
    EXPECT_THAT(OfPolicies(patch), Contains(StartsWith("answer "))) << patch;
  EXPECT_THAT(With("newThing", "{}"), Contains(StartsWith("network-open ")));
}

}  // namespace
}  // namespace mxc::judge_network_attacks_test
