// `helpers`: the files that programs which mxc-exec starts have to be.
#include "config/fields.h"

namespace mxc {
namespace {

constexpr Field kPinFields[] = {
    {.name = "sha256",
     .type = FieldType::kString,
     .in = kOwn,
     .text = "SHA-256 of its file: 64 hexadecimal digits, as `mxc-exec --probe` prints them.",
     .required = kOwn},
};
constexpr Shape kPinShape{.fields = kPinFields};

constexpr Field Pin(std::string_view name, std::string_view text) {
  return {.name = name, .type = FieldType::kObject, .in = kOwn, .text = text, .shape = &kPinShape};
}

constexpr Field kHelpersFields[] = {
    Pin("bwrap", "The program of containment `bubblewrap`."),
    Pin("busctl", "Asks systemd for the control group of a run."),
    Pin("env", "Stands in front of lxc-stop."),
    Pin("kubectl", "Speaks to the cluster of containment `kubernetes`."),
    Pin("lxc-start", "The program of containment `lxc`."),
    Pin("lxc-stop", "Ends a container of `--delete`."),
    Pin("tar", "Unpacks images, in a sandbox."),
    Pin("xz", "Unpacks images, as tar's program."),
};

}  // namespace

constexpr Shape kHelpersShape{.fields = kHelpersFields};

}  // namespace mxc
