#include "kubernetes/remote/remote_pods.h"

namespace mxc::kubernetes {

const Remote* RemotePods() { return nullptr; }

}  // namespace mxc::kubernetes
