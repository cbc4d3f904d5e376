// What is asked without a request.
#include "ffi/capture.h"
#include "ffi/scan.h"

namespace mxc::ffi {
namespace {

constexpr std::string_view kNotApplicable = "not-applicable";
constexpr std::string_view kConsent =
    R"("effectiveState":"not-applicable","policy":"not-applicable","reason":"not-applicable",)"
    R"("storedState":"not-applicable"})";

std::int32_t Answer(std::string_view text, char** out) {
  if (out == nullptr) return MXC_NULL_POINTER;
  *out = Lend(text);
  return *out == nullptr ? MXC_INTERNAL : MXC_OK;
}

std::int32_t AnswerConsent(std::string_view before, char** out) {
  return Answer(std::string(before) + std::string(kConsent), out);
}

// Of bubblewrap in the list of backends.
std::string NetworkOf(std::string_view backend) {
  const bool enforced =
      MemberOf(backend, "capabilities").find("\"proxyEnforcement\"") != std::string_view::npos;
  const std::string_view warnings = MemberOf(backend, "warnings");
  return std::string(R"(,"bubblewrapNetwork":{"proxyEnforcement":")") +
         (enforced ? "supported" : "unsupported") + R"(","warnings":)" +
         (warnings.empty() ? "[]" : std::string(warnings)) + "}";
}

std::string PlatformSupport() {
  std::string methods;
  std::string network;
  const std::string backends = Ask("--available-backends");
  for (const std::string_view backend : ItemsOf(backends)) {
    const std::string_view name = MemberOf(backend, "backend");
    methods += (methods.empty() ? "" : ",") + std::string(name);
    if (name == R"("bubblewrap")") network = NetworkOf(backend);
  }
  const bool supported = !methods.empty();
  const char* const reason = supported ? "null" : R"("no containment is usable here: see mxc-exec --probe")";
  return std::string(R"({"isSupported":)") + (supported ? "true" : "false") + R"(,"reason":)" + reason +
         R"(,"availableMethods":[)" + methods + "]" + network + "}";
}

}  // namespace
}  // namespace mxc::ffi

const char* mxc_version(void) { return "1.0.1"; }

void mxc_string_free(char* text) {
  if (text != nullptr) mxc::ffi::TakeBack(text);
}

char* mxc_available_backends_json(void) {
  const std::string backends = mxc::ffi::Ask("--available-backends");
  return backends.empty() ? nullptr : mxc::ffi::Lend(backends.substr(0, backends.rfind('\n')));
}

char* mxc_platform_support_json(void) { return mxc::ffi::Lend(mxc::ffi::PlatformSupport()); }

std::int32_t mxc_telemetry_get_consent_status(char** json) { return mxc::ffi::AnswerConsent("{", json); }

std::int32_t mxc_telemetry_withdraw_consent(char** json) {
  return mxc::ffi::AnswerConsent(R"({"result":"notApplicable",)", json);
}

std::int32_t mxc_telemetry_request_consent(const char* locale, MxcConsentPresenter presenter,
                                           void* /*context*/, char** json) {
  if (json != nullptr) *json = nullptr;
  if (presenter == nullptr || json == nullptr) return MXC_NULL_POINTER;
  if (locale != nullptr && !mxc::ffi::IsUtf8(locale)) return MXC_NOT_UTF8;
  return mxc_telemetry_withdraw_consent(json);
}

std::int32_t mxc_telemetry_get_consent(char** text) {
  return mxc::ffi::Answer(mxc::ffi::kNotApplicable, text);
}

std::int32_t mxc_telemetry_get_policy(char** text) {
  return mxc::ffi::Answer(mxc::ffi::kNotApplicable, text);
}

std::int32_t mxc_telemetry_needs_consent_prompt(std::int32_t* needed) {
  if (needed == nullptr) return MXC_NULL_POINTER;
  *needed = 0;
  return MXC_OK;
}
