#include "dispatch.h"

#include "backends/absent/absent.h"
#include "backends/appcontainer/appcontainer.h"
#include "backends/bubblewrap/bubblewrap.h"
#include "backends/isolation_session/isolation_session.h"
#include "backends/kubernetes/kubernetes.h"
#include "backends/landlock/landlock.h"
#include "backends/lxc/lxc.h"
#include "backends/namespaces/namespaces.h"
#include "backends/none/none.h"
#include "backends/seatbelt/seatbelt.h"
#include "backends/windows_sandbox/windows_sandbox.h"
#include "backends/wsl/wsl.h"
#include "kubernetes/remote/remote_pods.h"
#include "remote/remote.h"

namespace mxc {

const Backend& Dispatch(Containment containment) {
  using absent::AbsentBackend;
  switch (containment) {
    case Containment::kBubblewrap:
      return bubblewrap::BubblewrapBackend();
    case Containment::kNamespaces:
      return namespaces::NamespacesBackend();
    case Containment::kLandlock:
      return landlock::LandlockBackend();
    case Containment::kNone:
      return none::NoneBackend();
    case Containment::kLxc:
      return lxc::LxcBackend();
    case Containment::kKubernetes:
      return kubernetes::KubernetesBackend();
    case Containment::kProcessContainer:
      return appcontainer::AppContainerBackend();
    case Containment::kWindowsSandbox:
      return windows_sandbox::WindowsSandboxBackend();
    case Containment::kWslc:
      return wsl::WslBackend();
    case Containment::kIsolationSession:
      return isolation_session::IsolationSessionBackend();
    case Containment::kMicrovm:
      return AbsentBackend<Containment::kMicrovm>();
    case Containment::kHyperlight:
      return AbsentBackend<Containment::kHyperlight>();
    case Containment::kSeatbelt:
      return seatbelt::SeatbeltBackend();
    case Containment::kVm:
      return AbsentBackend<Containment::kVm>();
  }
  return AbsentBackend<Containment::kVm>();  // no enumerator leads here
}

const Remote* RemoteOf(Containment containment) {
  return containment == Containment::kKubernetes ? kubernetes::RemotePods() : nullptr;
}

}  // namespace mxc
