#include "access/loopback_exemption.h"

#include <algorithm>

namespace mxc {
namespace {

bool Names(const std::vector<Exemption>& exemptions, std::string_view sid) {
  return std::any_of(exemptions.begin(), exemptions.end(),
                     [&](const Exemption& exemption) { return exemption.sid == sid; });
}

// Another program may have written the list between our reading and our writing.
Status Check(ExemptionStore& store, std::string_view sid, bool exempt) {
  const Result<bool> now = IsExempt(store, sid);
  if (!now) return now.error();
  if (*now == exempt) return Done{};
  return SetupFailed(exempt ? "the container was to be exempt from the isolation of the loopback, and is not"
                            : "the container is still exempt from the isolation of the loopback");
}

}  // namespace

Result<bool> IsExempt(ExemptionStore& store, std::string_view sid) {
  const Result<std::vector<Exemption>> exemptions = store.Read();
  if (!exemptions) return exemptions.error();
  return Names(*exemptions, sid);
}

Status Exempt(ExemptionStore& store, std::string_view sid) {
  Result<std::vector<Exemption>> exemptions = store.Read();
  if (!exemptions) return exemptions.error();
  if (Names(*exemptions, sid)) return Done{};
  exemptions->push_back({.sid = std::string(sid)});
  if (Status written = store.Write(*exemptions); !written) return written;
  return Check(store, sid, true);
}

Status EndExemption(ExemptionStore& store, std::string_view sid) {
  Result<std::vector<Exemption>> exemptions = store.Read();
  if (!exemptions) return exemptions.error();
  if (!Names(*exemptions, sid)) return Done{};
  std::erase_if(*exemptions, [&](const Exemption& exemption) { return exemption.sid == sid; });
  if (Status written = store.Write(*exemptions); !written) return written;
  return Check(store, sid, false);
}

}  // namespace mxc
