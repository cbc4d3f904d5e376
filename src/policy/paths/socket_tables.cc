#include "policy/paths/socket_tables.h"

#include "policy/paths/entries.h"

namespace mxc {
namespace {

constexpr SocketDirectory kSocketDirectories[] = {
    {"/tmp/tmux-{uid}", 0700, true, "tmux: a shell of the caller's"},
    {"/tmp/.X11-unix", 01777, false, "X11: keyboard and screen"},
    {"/tmp/.ICE-unix", 01777, false, "the desktop's session manager"},
    {"/tmp/zellij-{uid}", 0700, false, "zellij: a shell of the caller's"},
    {"/tmp/emacs{uid}", 0700, false, "emacs: evaluates what it is sent"},
    {"/tmp/screens", 0755, false, "screen: a shell of the caller's"},
    {"/tmp/uscreens", 0755, false, "screen: a shell of the caller's"},
    {"/run/screen", 0755, false, "screen: a shell of the caller's"},
    {"{home}/.screen", 0700, false, "screen: a shell of the caller's"},
    {"{runtime}/emacs", 0700, false, "emacs: evaluates what it is sent"},
    {"{runtime}/zellij", 0700, false, "zellij: a shell of the caller's"},
};

// The first row with a part of the variable's name or of the path.
struct SocketMeaning {
  std::string_view part;
  std::string_view means;
};

constexpr std::string_view kContainers = "starts containers that mount any file of the host: this is root";
constexpr std::string_view kMachines = "starts virtual machines with any disk of the host: this is root";
constexpr std::string_view kShell = "types into shells of the caller's: this runs any command outside";
constexpr std::string_view kSession = "starts programs outside as the caller";
constexpr std::string_view kSignIn = "signs in with the caller's keys wherever they are accepted";
constexpr std::string_view kSecrets = "decrypts and signs with the caller's keys";
constexpr std::string_view kSound = "records the microphone and what is played";
constexpr std::string_view kDatabase = "reads and changes what the caller may in the database";
constexpr std::string_view kUnits = "starts units: programs outside, for root's manager as root";

constexpr SocketMeaning kMeanings[] = {
    {"SSH_AUTH_SOCK", kSignIn},
    {"DOCKER_HOST", kContainers},
    {"TMUX", kShell},
    {"docker.sock", kContainers},
    {"podman.sock", kContainers},
    {"containerd.sock", kContainers},
    {"crio.sock", kContainers},
    {"lxd", kContainers},
    {"incus", kContainers},
    {"buildkit", kContainers},
    {"libvirt", kMachines},
    {"tmux-", kShell},
    {"/screen", kShell},
    {"/.screen", kShell},
    {"uscreens", kShell},
    {"zellij", kShell},
    {"/emacs", "evaluates any expression in the caller's emacs: this runs any command outside"},
    {"nvim", "evaluates any expression in the caller's editor: this runs any command outside"},
    {"vscode", "opens files and runs commands in the caller's editor"},
    {".X11-unix", "reads keyboard and screen, and types into every window"},
    {"wayland-", "opens windows, and reads the clipboard while one has the focus"},
    {"system_bus_socket", "asks the system's services, as far as their rules let the caller"},
    {"/bus", kSession},
    {"dbus-", kSession},
    {"systemd", kUnits},
    {"S.gpg-agent.ssh", kSignIn},
    {"keyring/ssh", kSignIn},
    {"/ssh-", kSignIn},
    {"ssh-agent", kSignIn},
    {"S.gpg-agent", kSecrets},
    {"keyring", kSecrets},
    {"pulse", kSound},
    {"pipewire", kSound},
    {".s.PGSQL.", kDatabase},
    {"mysqld", kDatabase},
    {"mariadb", kDatabase},
    {"redis", kDatabase},
    {"mongodb", kDatabase},
    {"watchman", "runs the caller's watchman: its triggers are commands outside"},
    {"snapd", "installs packages"},
    {"nscd", "resolves names outside, past a blocked network"},
    {"resolve", "resolves names outside, past a blocked network"},
};

}  // namespace

std::span<const SocketDirectory> SocketDirectories() { return kSocketDirectories; }

std::string_view MeaningOfSocket(std::string_view name, std::string_view path) {
  for (const SocketMeaning& row : kMeanings) {
    if (row.part == name || path.find(row.part) != std::string_view::npos) return row.means;
  }
  return "does what the program behind it does for the caller; nothing here judges what it is asked";
}

bool RunsAnything(std::string_view path) {
  return MeaningOfSocket("", path).ends_with("this runs any command outside");
}

std::string PathInVariable(std::string_view value) {
  const bool address = value.starts_with("unix:");
  if (address) value.remove_prefix(std::string_view("unix:").size());
  if (value.starts_with("path=")) value.remove_prefix(std::string_view("path=").size());
  if (value.starts_with("//")) value.remove_prefix(std::string_view("//").size());
  return std::string(value.substr(0, value.find_first_of(address ? ",;" : ",")));
}

std::optional<std::string> SocketPath(const std::string& written, const Host& host) {
  if (!written.starts_with('$')) return written;
  const std::optional<std::string> value = host.Environment(std::string_view(written).substr(1));
  if (!value || value->empty()) return std::nullopt;
  std::string path = PathInVariable(*value);
  const std::optional<std::string> runtime = host.Environment("XDG_RUNTIME_DIR");
  const bool display = written == "$WAYLAND_DISPLAY" && runtime && !path.starts_with('/');
  return display ? JoinPath(*runtime, path) : path;
}

}  // namespace mxc
