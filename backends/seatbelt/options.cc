#include "backends/seatbelt/options.h"

#include <array>
#include <string>
#include <string_view>

namespace mxc::seatbelt {
namespace {

constexpr std::array<std::string_view, 3> kWindowServices = {"com.apple.coreservices.launchservicesd",
                                                             "com.apple.windowserver.active",
                                                             "com.apple.windowserver.session"};
constexpr std::array<std::string_view, 1> kClipboardServices = {"com.apple.pasteboard.1"};
constexpr std::array<std::string_view, 8> kKeychainServices = {
    "com.apple.SecurityServer", "com.apple.cfprefsd.agent", "com.apple.cfprefsd.daemon", "com.apple.ocspd",
    "com.apple.securityd",      "com.apple.trustd",         "com.apple.trustd.agent",    "com.apple.xpcd"};

bool IsServiceName(std::string_view name) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._@-";
  return !name.empty() && name.find_first_not_of(kLetters) == std::string_view::npos;
}

Status ReadLookups(const Json& section, Options& options) {
  const std::vector<Json>& names = section.At("extraMachLookups").items;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& name = names[i].text;
    if (!IsServiceName(name)) {
      return Conflict("'" + name + "' is not the name of a service",
                      "/seatbelt/extraMachLookups/" + std::to_string(i),
                      "use letters, digits, `.`, `_`, `@` and `-`");
    }
    options.mach_lookups.push_back(name);
  }
  return Done{};
}

template <class Names>
std::string Filters(const Names& names) {
  std::string filters;
  for (const std::string_view name : names) filters += (filters.empty() ? "" : " ") + Service(name);
  return filters;
}

void Record(Plan& plan, const std::string& pointer, std::string_view mechanism) {
  plan.AddToLedger(pointer, std::string(mechanism));
}

void AllowGui(Profile& profile, Plan& plan) {
  profile.Comment("programs with windows: every service, every driver");
  profile.Allow("mach-lookup");
  profile.Allow("mach-register");
  profile.Allow("iokit-open");
  profile.Allow("ipc-posix-shm*");
  plan.relaxations.emplace_back("gui-access");
  plan.not_covered.emplace_back(
      "every service of the session answers, and some act outside the sandbox for whoever asks");
}

}  // namespace

Result<Options> ReadOptions(const Policy& policy) {
  const Json& section = policy.section;
  const Json& nested = section.At("nestedPty");
  Options options{.profile_override = section.At("profileOverride").text,
                  .gui = section.At("guiAccess").boolean,
                  .nested_pty = nested.kind == Json::Kind::kNull || nested.boolean,
                  .keychain = section.At("keychainAccess").boolean};
  if (section.At("launchMethod").text == "open") {
    return Conflict(
        "the command is always executed, never opened by a terminal program: its output and exit "
        "status would be lost",
        "/seatbelt/launchMethod", "leave launchMethod out, or write \"exec\"");
  }
  if (options.gui && policy.ui.disabled) {
    return Conflict("guiAccess asks for windows that ui.disable forbids", "/seatbelt/guiAccess",
                    "write \"ui\": {\"disable\": false}, or leave guiAccess out");
  }
  if (Status lookups = ReadLookups(section, options); !lookups) return lookups.error();
  return options;
}

Status LowerDesktop(const Policy& policy, const Options& options, Profile& profile, Plan& plan) {
  const Ui& ui = policy.ui;
  profile.Comment("the desktop");
  if (options.gui) AllowGui(profile, plan);
  const bool clipboard = ui.clipboard == Clipboard::kAll;
  if (!clipboard && ui.clipboard != Clipboard::kNone) {
    return Unenforceable("one service both reads and writes the clipboard of macOS: no rule parts the two",
                         ui.clipboard_pointer, "write \"all\" or \"none\"");
  }
  const std::string windows = Filters(kWindowServices);
  ui.disabled ? profile.Deny("mach-lookup", windows) : profile.Allow("mach-lookup", windows);
  const std::string pasteboard = Filters(kClipboardServices);
  clipboard ? profile.Allow("mach-lookup", pasteboard) : profile.Deny("mach-lookup", pasteboard);
  constexpr std::string_view kInput = "(iokit-user-client-class \"IOHIDLibUserClient\")";
  ui.injection ? profile.Allow("iokit-open", kInput) : profile.Deny("iokit-open", kInput);
  Record(plan, ui.disabled_pointer,
         ui.disabled ? "Seatbelt rule: no window server" : "Seatbelt rule: the window server");
  Record(plan, ui.clipboard_pointer,
         clipboard ? "Seatbelt rule: the pasteboard" : "Seatbelt rule: no pasteboard");
  Record(plan, ui.injection_pointer,
         ui.injection ? "Seatbelt rule: input devices" : "Seatbelt rule: no input devices");
  return Done{};
}

void LowerOptions(const Options& options, Profile& profile, Plan& plan) {
  if (options.nested_pty) {
    profile.Comment("terminals of the command's own");
    profile.Allow("pseudo-tty");
    profile.Allow("file-read* file-write* file-ioctl", "(literal \"/dev/ptmx\")");
    profile.Allow("file-read* file-write*",
                  "(require-all (regex #\"^/dev/ttys[0-9]+$\") (extension \"com.apple.sandbox.pty\"))");
  }
  if (options.keychain) {
    profile.Comment("the keychain");
    profile.Allow("mach-lookup",
                  Filters(kKeychainServices) + " (global-name-regex #\"^com\\.apple\\.lsd\\.\")");
    profile.Allow("file-read*",
                  "(subpath \"/private/var/protected/trustd\") (subpath \"/private/var/db/mds\")");
    profile.Allow("file-read* file-write*", Subpath(Profile::LaunchParameter("KEYCHAINS")));
    plan.relaxations.emplace_back("keychain-access");
  }
  if (!options.mach_lookups.empty()) {
    profile.Comment("services the configuration names");
    profile.AllowServices(options.mach_lookups);
    plan.relaxations.emplace_back("mach-lookups");
  }
}

}  // namespace mxc::seatbelt
