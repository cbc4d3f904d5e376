#include "kubernetes/kubectl_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace mxc::kubernetes {
namespace {

struct Symptom {
  std::string_view text;  // of kubectl's standard error
  KubectlFailure failure;
  std::string_view message;  // empty: kubectl's own words say enough
  std::string_view hint;
};

constexpr std::string_view kRightsHint = "grant the caller the rules of docs/backends/kubernetes.md";

constexpr std::string_view kConfigHint = "correct kubernetes.kubeconfig";
constexpr std::string_view kServerHint = "correct the kubeconfig's server";

constexpr Symptom kSymptoms[] = {
    {"doesn't have a resource type", KubectlFailure::kRefused, "the cluster has no agent-sandbox of v1beta1",
     "install kubernetes-sigs/agent-sandbox"},
    {"could not find the requested resource", KubectlFailure::kRefused,
     "the cluster has no agent-sandbox of v1beta1", "install kubernetes-sigs/agent-sandbox"},
    {"(AlreadyExists)", KubectlFailure::kExists, "", ""},
    {"(NotFound)", KubectlFailure::kNotFound, "", ""},
    {"Precondition failed: ", KubectlFailure::kChanged, "", ""},
    {"(Unauthorized)", KubectlFailure::kRefused, "the cluster does not take these credentials",
     "log in again: the token may have expired"},
    {"must be logged in", KubectlFailure::kRefused, "the cluster does not take these credentials",
     "log in again: the token may have expired"},
    {"exceeded quota", KubectlFailure::kRefused, "a quota of the namespace is used up",
     "wait, or raise the ResourceQuota"},
    {"(Forbidden)", KubectlFailure::kRefused, "", kRightsHint},
    {"orbidden", KubectlFailure::kRefused, "", kRightsHint},
    {"(Invalid)", KubectlFailure::kRefused, "", ""},
    {"(BadRequest)", KubectlFailure::kRefused, "", ""},
    {"x509:", KubectlFailure::kRefused, "the certificate of the API server is not trusted",
     "correct the kubeconfig's certificate-authority"},
    {"context \"", KubectlFailure::kRefused, "", "correct kubernetes.context"},
    {"no such file or directory", KubectlFailure::kRefused, "", kConfigHint},
    {"error loading config file", KubectlFailure::kRefused, "", kConfigHint},
    {"invalid configuration", KubectlFailure::kRefused, "", kConfigHint},
    {"exec plugin: ", KubectlFailure::kRefused, "", kConfigHint},
    {"server localhost:8080 was refused", KubectlFailure::kRefused, "kubectl has no configuration",
     "name one: kubernetes.kubeconfig"},
    {"error reading input for", KubectlFailure::kRefused, "kubectl has no credentials for this cluster",
     "name a user in the kubeconfig"},
    {"host must be a URL", KubectlFailure::kRefused, "", kServerHint},
    {"no such host", KubectlFailure::kRefused, "", kServerHint},
    {"server gave HTTP response to HTTPS client", KubectlFailure::kRefused, "", kServerHint},
    {"tls: handshake failure", KubectlFailure::kRefused, "", kServerHint},
};

// Of kubectl's last line, its beginnings when it could not speak to a server.
constexpr std::string_view kNoServer[] = {
    "Unable to connect to the server: dial tcp",
    "Unable to connect to the server: proxyconnect tcp: dial tcp",
    "Unable to connect to the server: getting credentials: ",
    "Unable to connect to the server: x509: ",
    "Unable to connect to the server: tls: failed to verify certificate: ",
    "Unable to connect to the server: remote error: tls: handshake failure",
    "Unable to connect to the server: http: server gave HTTP response to HTTPS client",
    "error: context \"",
    "error: stat ",
    "error: error loading config file",
    "error: invalid configuration: ",
    "error: exec plugin: ",
    "error: host must be a URL",
    "error: error reading input for ",
};
constexpr std::string_view kServer = "The connection to the server ";
constexpr std::string_view kWasRefused = " was refused - did you specify the right host or port?";

const Symptom* SymptomOf(const std::string& text) {
  for (const Symptom& symptom : kSymptoms)
    if (text.find(symptom.text) != std::string::npos) return &symptom;
  return nullptr;
}

std::string_view LastLine(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  const std::size_t at = text.rfind('\n');
  return at == std::string_view::npos ? text : text.substr(at + 1);
}

}  // namespace

KubectlFailure FailureOf(const KubectlAnswer& answer) {
  const Symptom* const symptom = SymptomOf(answer.err);
  return symptom == nullptr ? KubectlFailure::kPassing : symptom->failure;
}

bool WasUnsent(const KubectlAnswer& answer) {
  if (answer.end != KubectlEnd::kExited) return false;
  const std::string_view line = LastLine(answer.err);
  if (line.starts_with(kServer) && line.ends_with(kWasRefused)) return true;
  return std::any_of(std::begin(kNoServer), std::end(kNoServer),
                     [line](std::string_view begin) { return line.starts_with(begin); });
}

Error Interrupted() { return {.code = ErrorCode::kInternal}; }

Error ErrorOf(std::string_view what, const KubectlAnswer& answer) {
  Error error{.code = ErrorCode::kUnavailable, .pointer = "/kubernetes"};
  const Symptom* const symptom = SymptomOf(answer.err);
  const std::string_view said = LastLine(answer.err);
  if (answer.end == KubectlEnd::kTimedOut) {
    error.message = fmt::format("cannot {}: the API server did not answer in time", what);
    error.hint = "try it: kubectl version";
    return error;
  }
  const std::string_view message = symptom == nullptr ? std::string_view() : symptom->message;
  error.message = fmt::format("cannot {}: {}{}{}", what, message, message.empty() || said.empty() ? "" : ": ",
                              said.empty() && message.empty() ? "kubectl said nothing" : said);
  error.hint = symptom == nullptr ? "try it: kubectl version" : std::string(symptom->hint);
  return error;
}

}  // namespace mxc::kubernetes
