#include <string>

#include "policy/paths/baseline.h"

namespace mxc {
namespace {

constexpr BaselineRow kRows[] = {
    {"/bin", "/bin/sh"},
    {"/sbin", "programs of the system"},
    {"/usr/bin", "programs of the system"},
    {"/usr/sbin", "programs of the system"},
    {"/usr/lib", "the loader and what it loads"},
    {"/usr/libexec", "programs that programs start"},
    {"/usr/share", "time zones, terminals, certificates, manuals"},
    {"/System", "frameworks, the loader's cache"},
    {"/System/Volumes/Preboot/Cryptexes", "the same, of parts that are updated on their own"},
    {"/Library/Apple", "parts of the system that are updated on their own"},
    {"/Library/Developer/CommandLineTools", "compilers, git and python behind their names in /usr/bin"},
    {"/Library/Fonts", "fonts"},
    {"/Library/Frameworks", "frameworks for all users"},
    {"/Library/Java", "Java for all users"},
    {"/Applications/Xcode.app/Contents/Developer", "the same as the command line tools"},
    {"/private/etc", "names, resolver, shells, certificates; secrets are masked"},
    {"/private/var/db/dyld", "the loader's cache before macOS 13"},
    {"/private/var/db/timezone", "the time zone"},
    {"/private/var/db/xcode_select_link", "where the developer tools are"},
    {"/private/var/select", "which shell is sh"},
};

constexpr BaselineRow kMasks[] = {
    {"/private/etc/krb5.keytab", "Kerberos keys of the host"},
    {"/private/etc/master.passwd", "password hashes"},
    {"/private/etc/openldap", "directory bind passwords"},
    {"/private/etc/ppp", "dial-up passwords"},
    {"/private/etc/racoon", "VPN keys"},
    {"/private/etc/ssh/ssh_host_dsa_key", "identity of the host"},
    {"/private/etc/ssh/ssh_host_ecdsa_key", "identity of the host"},
    {"/private/etc/ssh/ssh_host_ed25519_key", "identity of the host"},
    {"/private/etc/ssh/ssh_host_rsa_key", "identity of the host"},
    {"/private/etc/sudoers", "who may become whom, and how"},
    {"/private/etc/sudoers.d", "the same, in parts"},
    {"/System/Volumes", "every file once more, under the names of its volume"},
};

void Add(const BaselineRow& row, Access access, RuleSet& rules) {
  rules.Add({.path = std::string(row.path), .access = access, .origin = Origin::kBaseline});
}

}  // namespace

void AddMacosBaseline(RuleSet& rules) {
  for (const BaselineRow& row : kRows) {
    if (!DecidedByPolicy(rules, row.path)) Add(row, Access::kReadOnly, rules);
  }
  for (const BaselineRow& row : kMasks) {
    if (rules.Visible(row.path)) Add(row, Access::kDenied, rules);
  }
}

}  // namespace mxc
