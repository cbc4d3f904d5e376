#include <algorithm>
#include <iterator>

#include "gateway/inspect/protocol_sniffer.h"
#include "gateway/rules/rules.h"

namespace mxc::egress {
namespace {

constexpr std::string_view kMalformedHello = "its ClientHello is malformed";
constexpr std::size_t kServerName = 0;
constexpr std::size_t kEarlyData = 42;

// Encrypted ClientHello in every form: by it a server takes another name than the one in the open. 0xff01
// among them is renegotiation_info.
struct CodePoints {
  std::size_t first;
  std::size_t last;
};
constexpr CodePoints kEncryptedNames[] = {
    {0xfe02, 0xfe0d},  // encrypted_client_hello: RFC 9849, draft-ietf-tls-esni-08 (0xfe08) and later
    {0xfd00, 0xfd00},  // ech_outer_extensions: RFC 9849, draft-ietf-tls-esni-08 and later
    {0xda09, 0xda09},  // ech_is_inner: draft-ietf-tls-esni-09 to -10
    {0xff02, 0xff08},  // encrypted_client_hello, ech_nonce, outer_extensions: draft-ietf-tls-esni-07 (to
                       // 0xff04), and the working copy after it (0xff08)
    {0xffce, 0xffce},  // encrypted_server_name: draft-ietf-tls-esni-00 to -06
};

bool IsEncryptedName(std::size_t type) {
  return std::any_of(std::begin(kEncryptedNames), std::end(kEncryptedNames),
                     [type](const CodePoints& each) { return type >= each.first && type <= each.last; });
}

// Takes vectors with a length before them from the front of a view.
class Fields {
 public:
  explicit Fields(ByteView bytes) : bytes_(bytes) {}

  [[nodiscard]] bool Failed() const { return failed_; }
  [[nodiscard]] bool Empty() const { return bytes_.empty(); }

  std::size_t Number(std::size_t width) {
    std::size_t value = 0;
    for (const std::uint8_t byte : Take(width)) value = (value << 8U) | byte;
    return value;
  }
  ByteView Take(std::size_t count) {
    if (failed_ || count > bytes_.size()) {
      failed_ = true;
      bytes_ = {};
      return {};
    }
    const ByteView taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }
  ByteView Vector(std::size_t width) { return Take(Number(width)); }

 private:
  ByteView bytes_;
  bool failed_ = false;
};

// Exactly one entry, and that a host name.
bool ReadServerName(ByteView extension, HeadNames& names) {
  Fields outer(extension);
  Fields list(outer.Vector(2));
  const std::size_t type = list.Number(1);
  const ByteView host = list.Vector(2);
  if (outer.Failed() || !outer.Empty() || list.Failed() || !list.Empty() || type != 0) return false;
  const auto name = ValidName(TextOf(host));
  if (!name || !names.hosts.empty()) return false;
  names.hosts.push_back(*name);
  return true;
}

}  // namespace

HeadNames ReadClientHello(ByteView hello) {
  HeadNames names;
  Fields fields(hello);
  const std::size_t version = fields.Number(2);
  if (version < 0x0300 || version > 0x0304) return {.problem = kMalformedHello};
  fields.Take(32);   // random
  fields.Vector(1);  // session
  fields.Vector(2);  // ciphers
  fields.Vector(1);  // compressions
  if (!fields.Failed() && fields.Empty()) return names;
  Fields extensions(fields.Vector(2));
  if (fields.Failed() || !fields.Empty()) return {.problem = kMalformedHello};
  while (!extensions.Empty()) {
    const std::size_t type = extensions.Number(2);
    const ByteView content = extensions.Vector(2);
    if (extensions.Failed()) return {.problem = kMalformedHello};
    if (type == kServerName && !ReadServerName(content, names)) return {.problem = kMalformedHello};
    names.early_data = names.early_data || type == kEarlyData;
    names.encrypted = names.encrypted || IsEncryptedName(type);
  }
  return names;
}

}  // namespace mxc::egress
