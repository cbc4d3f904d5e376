#include "policy/paths/baseline.h"

namespace mxc {
namespace {

constexpr BaselineRow kBaselineRows[] = {
    {"/usr", "programs, libraries, interpreters, data; one mount costs less than one per directory"},
    {"/bin", "/bin/sh; a link on a merged /usr"},
    {"/sbin", "a link on a merged /usr"},
    {"/lib", "the loader's directory; a link on a merged /usr"},
    {"/lib32", "a link on a merged /usr"},
    {"/lib64", "the loader's fixed address; a link on a merged /usr"},
    {"/libx32", "a link on a merged /usr"},
    {"/etc", "names, resolver, certificates, alternatives; secrets are masked"},
    {"/run/systemd/resolve", "target of /etc/resolv.conf under systemd-resolved"},
    {"/run/NetworkManager", "target of /etc/resolv.conf under NetworkManager"},
    {"/run/resolvconf", "target of /etc/resolv.conf under resolvconf"},
    {"/mnt/wsl/resolv.conf", "target of /etc/resolv.conf under WSL"},
    {"/var/run", "old spelling of /run; always a link here"},
};

constexpr BaselineRow kHiddenRows[] = {
    {"/usr/local", "what this machine's administrator added, not the distribution"},
};

constexpr BaselineRow kSecretRows[] = {
    {"/etc/shadow", "password hashes"},
    {"/etc/shadow-", "password hashes, last version"},
    {"/etc/gshadow", "group password hashes"},
    {"/etc/gshadow-", "group password hashes, last version"},
    {"/etc/security/opasswd", "old password hashes"},
    {"/etc/sudoers", "who may become whom, and how"},
    {"/etc/sudoers.d", "the same, in parts"},
    {"/etc/doas.conf", "the same, for doas"},
    {"/etc/ssl/private", "private keys of certificates"},
    {"/etc/pki/tls/private", "private keys of certificates"},
    {"/etc/letsencrypt", "private keys and account keys"},
    {"/etc/krb5.keytab", "Kerberos keys of the host"},
    {"/etc/samba/private", "domain secrets"},
    {"/etc/sssd", "directory bind passwords"},
    {"/etc/ldap.secret", "directory bind password"},
    {"/etc/pam_ldap.secret", "directory bind password"},
    {"/etc/libnss-ldap.secret", "directory bind password"},
    {"/etc/NetworkManager/system-connections", "wireless and VPN passwords"},
    {"/etc/wpa_supplicant", "wireless passwords"},
    {"/etc/netplan", "wireless passwords"},
    {"/etc/wireguard", "VPN keys"},
    {"/etc/openvpn", "VPN keys"},
    {"/etc/ipsec.secrets", "VPN keys"},
    {"/etc/ipsec.d/private", "VPN keys"},
    {"/etc/swanctl/private", "VPN keys"},
    {"/etc/ppp/chap-secrets", "dial-up passwords"},
    {"/etc/ppp/pap-secrets", "dial-up passwords"},
    {"/etc/cryptsetup-keys.d", "disk keys"},
    {"/etc/credstore", "systemd credentials"},
    {"/etc/credstore.encrypted", "systemd credentials"},
    {"/etc/kubernetes", "cluster administrator's keys"},
    {"/etc/rancher", "cluster administrator's keys"},
    {"/etc/docker/key.json", "registry identity"},
    {"/etc/apt/auth.conf", "package mirror passwords"},
    {"/etc/apt/auth.conf.d", "package mirror passwords"},
    {"/etc/mysql/debian.cnf", "database maintenance password"},
    {"/etc/postfix/sasl_passwd", "mail relay password"},
    {"/etc/exim4/passwd.client", "mail relay password"},
    {"/etc/msmtprc", "mail relay password"},
    {"/etc/grub.d/01_users", "boot loader password hash"},
    {"/etc/davfs2/secrets", "file share passwords"},
    {"/etc/cifs-credentials", "file share passwords"},
};

constexpr BaselineRow kSocketRows[] = {
    {"/run/docker.sock", "starts containers as root"},
    {"/run/containerd/containerd.sock", "starts containers as root"},
    {"/run/k3s/containerd/containerd.sock", "starts containers as root"},
    {"/run/crio/crio.sock", "starts containers as root"},
    {"/run/podman/podman.sock", "starts containers as root"},
    {"/run/lxd.socket", "starts containers as root"},
    {"/var/lib/lxd/unix.socket", "starts containers as root"},
    {"/var/snap/lxd/common/lxd/unix.socket", "starts containers as root"},
    {"/var/lib/incus/unix.socket", "starts containers as root"},
    {"/run/libvirt/libvirt-sock", "starts virtual machines"},
    {"/run/snapd.socket", "installs packages"},
    {"/run/dbus/system_bus_socket", "the system's services: units, accounts, disks"},
    {"/run/systemd/private", "starts units as root"},
    {"/run/systemd/io.systemd.Manager", "starts units as root"},
    {"/run/systemd/resolve/io.systemd.Resolve", "resolves names outside, past a blocked network"},
    {"/run/systemd/resolve/io.systemd.Resolve.Monitor", "shows the host's name queries"},
    {"/run/NetworkManager/private", "reconfigures the network"},
    {"/run/NetworkManager/private-dhcp", "reconfigures the network"},
    {"/run/nscd/socket", "resolves names outside, past a blocked network"},
    {"/run/udev/control", "runs programs as root"},
    {"/run/user/{uid}/bus", "the session's services: starts programs outside"},
    {"/run/user/{uid}/systemd/private", "starts units of the user"},
    {"/run/user/{uid}/docker.sock", "starts containers of the user"},
    {"/run/user/{uid}/podman/podman.sock", "starts containers of the user"},
    {"/run/user/{uid}/gnupg/S.gpg-agent", "signs with the user's keys"},
    {"/run/user/{uid}/gnupg/S.gpg-agent.ssh", "signs with the user's keys"},
    {"/run/user/{uid}/keyring/ssh", "signs with the user's keys"},
    {"/run/user/{uid}/keyring/control", "unlocks the user's passwords"},
};

}  // namespace

std::span<const BaselineRow> BaselineRows() { return kBaselineRows; }
std::span<const BaselineRow> HiddenRows() { return kHiddenRows; }
std::span<const BaselineRow> SecretRows() { return kSecretRows; }
std::span<const BaselineRow> SocketRows() { return kSocketRows; }

}  // namespace mxc
