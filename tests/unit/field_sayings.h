// What says something with each field of the schema that decides something, by the field's pointer.
#pragma once

#include <map>
#include <string>

namespace mxc {

// A fragment that says something with this field, and one that differs in nothing else; a version that has
// it.
struct Saying {
  std::string fragment = {};
  std::string without = {};
  std::string version = "1.1.0-alpha";
};

inline const std::map<std::string, Saying>& Sayings() {
  const std::string rule = R"("network":{"egress":{"allow":[{"to":[)";
  const std::string a = R"({"host":"a.example"}],"ports":[{"protocol":"tcp","port":)";
  static const std::map<std::string, Saying> sayings = {
      {"/containment", {R"("containment":"namespaces")"}},
      {"/process/workspace/host", {R"("process":{"commandLine":"true","workspace":{"host":"/srv/a"}})"}},
      {"/process/workspace/guest",
       {R"("process":{"commandLine":"true","workspace":{"host":"/srv/a","guest":"/w"}})",
        R"("process":{"commandLine":"true","workspace":{"host":"/srv/a"}})"}},
      {"/process/env", {R"("process":{"commandLine":"true","env":["A=1"]})"}},
      {"/process/timeout", {R"("process":{"commandLine":"true","timeout":1})"}},
      {"/process/inheritDefaultEnv",
       {R"("process":{"commandLine":"true","env":["A=1"],"inheritDefaultEnv":true})",
        R"("process":{"commandLine":"true","env":["A=1"]})"}},
      {"/lifecycle/destroyOnExit",
       {R"("containment":"lxc","lifecycle":{"destroyOnExit":false})", R"("containment":"lxc")"}},
      {"/filesystem/readwritePaths", {R"("filesystem":{"readwritePaths":["/srv/a"]})"}},
      {"/filesystem/readonlyPaths", {R"("filesystem":{"readonlyPaths":["/srv/a"]})"}},
      {"/filesystem/deniedPaths", {R"("filesystem":{"deniedPaths":["/srv/a"]})"}},
      {"/filesystem/protect", {R"("filesystem":{"protect":[]})"}},
      {"/filesystem/protect/git/config",
       {R"("filesystem":{"protect":{"git":{"config":"allow-safe"}}})",
        R"("filesystem":{"protect":{"git":{}}})"}},
      {"/filesystem/protect/shell",
       {R"("filesystem":{"protect":{"shell":{}}})", R"("filesystem":{"protect":{}})"}},
      {"/filesystem/protect/editors",
       {R"("filesystem":{"protect":{"editors":{}}})", R"("filesystem":{"protect":{}})"}},
      {"/filesystem/protect/agents",
       {R"("filesystem":{"protect":{"agents":{}}})", R"("filesystem":{"protect":{}})"}},
      {"/filesystem/repositories", {R"("filesystem":{"repositories":[]})"}},
      {"/filesystem/sockets", {R"("filesystem":{"sockets":["/srv/socket"]})"}},
      {"/filesystem/temp", {R"("filesystem":{"temp":"private"})"}},
      {"/network/egress/default", {R"("network":{"egress":{"default":"allow"}})"}},
      {"/network/egress/allow", {R"("network":{"egress":{"allow":[{}]}})"}},
      {"/network/egress/allow/to",
       {rule + R"({"host":"a.example"}]}]}})", R"("network":{"egress":{"allow":[{}]}})"}},
      {"/network/egress/allow/to/cidr",
       {rule + R"({"cidr":"10.0.0.0/8"}]}]}})", rule + R"({"cidr":"11.0.0.0/8"}]}]}})"}},
      {"/network/egress/allow/to/except",
       {rule + R"({"cidr":"10.0.0.0/8","except":["10.1.0.0/16"]}]}]}})",
        rule + R"({"cidr":"10.0.0.0/8"}]}]}})"}},
      {"/network/egress/allow/to/host",
       {rule + R"({"host":"a.example"}]}]}})", rule + R"({"host":"b.example"}]}]}})"}},
      {"/network/egress/allow/ports", {rule + a + R"(80}]}]}})", rule + R"({"host":"a.example"}]}]}})"}},
      {"/network/egress/allow/ports/protocol",
       {rule + a + R"(80}]}]}})",
        rule + R"({"host":"a.example"}],"ports":[{"protocol":"udp","port":80}]}]}})"}},
      {"/network/egress/allow/ports/port", {rule + a + R"(80}]}]}})", rule + a + R"(81}]}]}})"}},
      {"/network/egress/allow/ports/endPort",
       {rule + a + R"(80,"endPort":81}]}]}})", rule + a + R"(80}]}]}})"}},
      {"/network/egress/allow/inspect",
       {rule + a + R"(80}],"inspect":"none"}]}})", rule + a + R"(80}]}]}})"}},
      {"/network/egress/deny",
       {R"("network":{"egress":{"default":"allow","deny":[{"to":[{"host":"a.example"}]}]}})",
        R"("network":{"egress":{"default":"allow"}})"}},
      {"/network/egress/upstreamProxy", {R"("network":{"egress":{"upstreamProxy":"environment"}})"}},
      {"/network/ingress/default", {R"("network":{"ingress":{"default":"allow"}})"}},
      {"/network/ingress/hostLoopback", {R"("network":{"ingress":{"hostLoopback":"allow"}})"}},
      {"/network/ingress/publish", {R"("network":{"ingress":{"publish":[{"host":8080}]}})"}},
      {"/network/ingress/publish/host",
       {R"("network":{"ingress":{"publish":[{"host":8080,"guest":80}]}})",
        R"("network":{"ingress":{"publish":[{"host":8081,"guest":80}]}})"}},
      {"/network/ingress/publish/guest",
       {R"("network":{"ingress":{"publish":[{"host":8080,"guest":80}]}})",
        R"("network":{"ingress":{"publish":[{"host":8080,"guest":81}]}})"}},
      {"/network/defaultPolicy", {R"("network":{"defaultPolicy":"allow"})", "", "0.7.0-alpha"}},
      {"/network/allowLocalNetwork",
       {R"("network":{"defaultPolicy":"allow","allowLocalNetwork":true})",
        R"("network":{"defaultPolicy":"allow"})", "0.7.0-alpha"}},
      {"/network/allowedHosts", {R"("network":{"allowedHosts":["a.example"]})", "", "0.7.0-alpha"}},
      {"/network/blockedHosts",
       {R"("network":{"defaultPolicy":"allow","blockedHosts":["a.example"]})",
        R"("network":{"defaultPolicy":"allow"})", "0.7.0-alpha"}},
      {"/network/proxy/localhost",
       {R"("network":{"defaultPolicy":"allow","proxy":{"localhost":80}})",
        R"("network":{"defaultPolicy":"allow","proxy":{"localhost":81}})", "0.7.0-alpha"}},
      {"/network/proxy/url",
       {R"("network":{"defaultPolicy":"allow","proxy":{"url":"http://127.0.0.1:80"}})",
        R"("network":{"defaultPolicy":"allow","proxy":{"url":"http://127.0.0.1:81"}})", "0.7.0-alpha"}},
      {"/runtimeConfig/networkProxy",
       {R"("runtimeConfig":{"networkProxy":"http://127.0.0.1:80"})",
        R"("runtimeConfig":{"networkProxy":"http://127.0.0.1:81"})"}},
      {"/resources/memoryMb", {R"("resources":{"memoryMb":1})"}},
      {"/resources/cpus", {R"("resources":{"cpus":0.5})"}},
      {"/resources/processes", {R"("resources":{"processes":2})"}},
      {"/resources/openFiles", {R"("resources":{"openFiles":99})"}},
      {"/resources/tmpMb", {R"("resources":{"tmpMb":1})"}},
      {"/resources/fileSizeMb", {R"("resources":{"fileSizeMb":1})"}},
      {"/resources/cpuTimeMs", {R"("resources":{"cpuTimeMs":1})"}},
      {"/session/idleTimeoutMs",
       {R"("phase":"provision","containment":"process","session":{"idleTimeoutMs":1})",
        R"("phase":"provision","containment":"process")"}},
      {"/session/lifetimeMs",
       {R"("phase":"provision","containment":"process","session":{"lifetimeMs":1})",
        R"("phase":"provision","containment":"process")"}},
      {"/output/maxBytes", {R"("output":{"maxBytes":1})"}},
      {"/output/redact", {R"("output":{"redact":["pii"]})"}},
      {"/audit/path", {R"("audit":{"path":"/var/log/a"})"}},
      {"/audit/onFailure",
       {R"("audit":{"path":"/var/log/a","onFailure":"warn"})", R"("audit":{"path":"/var/log/a"})"}},
      {"/audit/syslog",
       {R"("audit":{"path":"/var/log/a","syslog":true})", R"("audit":{"path":"/var/log/a"})"}},
      {"/review", {R"("review":"destructive")"}},
      {"/minimumTier", {R"("minimumTier":"process")"}},
  };
  return sayings;
}

}  // namespace mxc
