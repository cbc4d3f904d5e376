#include "access/acl_journal.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace mxc {
namespace {

using Object = nlohmann::ordered_json;

std::string Hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 0xFU];
  }
  return text;
}

int Digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

std::optional<std::string> FromHex(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    const int high = Digit(text[i]);
    const int low = Digit(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(high * 16 + low);
  }
  if (text.size() % 2 != 0) return std::nullopt;
  return bytes;
}

std::string Line(const Object& object) {
  return object.dump(-1, ' ', false, Object::error_handler_t::replace) + "\n";
}

std::string Text(const Object& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::uint64_t Number(const Object& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

std::optional<AclRun> RunOf(const Object& object) {
  const std::optional<std::string> sid = FromHex(Text(object, "sid"));
  if (!sid || sid->empty()) return std::nullopt;
  return AclRun{.process = static_cast<std::int64_t>(Number(object, "process")),
                .created = Number(object, "created"),
                .sid = *sid,
                .profile = Text(object, "profile")};
}

// type, flags and body of an entry, in this order.
std::optional<Ace> AceOf(const std::string& hex) {
  const std::optional<std::string> bytes = FromHex(hex);
  if (!bytes || bytes->size() < 2) return std::nullopt;
  return Ace{.type = static_cast<std::uint8_t>((*bytes)[0]),
             .flags = static_cast<std::uint8_t>((*bytes)[1]),
             .body = bytes->substr(2)};
}

std::optional<AclRecord> RecordOf(const Object& object) {
  AclRecord record{.path = Text(object, "path")};
  const auto before = object.find("before");
  if (record.path.empty() || before == object.end() || !before->is_array()) return std::nullopt;
  for (const Object& entry : *before) {
    const std::optional<Ace> ace = entry.is_string() ? AceOf(entry.get<std::string>()) : std::nullopt;
    if (!ace) return std::nullopt;
    record.before.push_back(*ace);
  }
  return record;
}

}  // namespace

std::string LineOf(const AclRun& run) {
  return Line({{"process", static_cast<std::uint64_t>(run.process)},
               {"created", run.created},
               {"sid", Hex(run.sid)},
               {"profile", run.profile}});
}

std::string LineOf(const AclRecord& record) {
  Object before = Object::array();
  for (const Ace& ace : record.before) {
    std::string bytes{static_cast<char>(ace.type), static_cast<char>(ace.flags)};
    before.push_back(Hex(bytes + ace.body));
  }
  return Line({{"path", record.path}, {"before", std::move(before)}});
}

std::string LineOfBfs(const std::string& container) { return Line({{"bfs", container}}); }

std::string LineOfExemption() { return Line({{"exemption", true}}); }

std::optional<WrittenRun> ReadJournal(std::string_view text) {
  std::optional<WrittenRun> written;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    const Object object = Object::parse(text.substr(0, end), nullptr, false);
    text.remove_prefix(end + 1);
    if (!written) {
      std::optional<AclRun> run = object.is_object() ? RunOf(object) : std::nullopt;
      if (!run) return std::nullopt;
      written = WrittenRun{.run = std::move(*run)};
      continue;
    }
    if (std::string container = object.is_object() ? Text(object, "bfs") : ""; !container.empty()) {
      written->bfs = std::move(container);
      continue;
    }
    if (object.is_object() && object.contains("exemption")) {
      written->exemption = true;
      continue;
    }
    std::optional<AclRecord> record = object.is_object() ? RecordOf(object) : std::nullopt;
    if (!record) return std::nullopt;
    written->records.push_back(std::move(*record));
  }
  return written;
}

Unrestored PutBack(const WrittenRun& run, AclStore& store, const Undoing& undoing) {
  Unrestored left;
  if (run.exemption) {
    if (Status ended = undoing.end_exemption(run.run.sid); !ended) left.reason = ended.error();
  }
  if (!run.bfs.empty()) {
    if (Status cleared = undoing.clear_bfs(run.bfs); !cleared) left.reason = cleared.error();
  }
  for (auto record = run.records.rbegin(); record != run.records.rend(); ++record) {
    const Result<std::optional<Acl>> now = store.Read(record->path);
    if (now && !*now) continue;
    Status status = now ? Status(Done{}) : Status(now.error());
    if (now) status = store.Write(record->path, WithOwnEntries(**now, run.run.sid, record->before));
    if (status) continue;
    left.reason = status.error();
    left.records.insert(left.records.begin(), *record);
  }
  return left;
}

Status AclJournal::Apply(const AclChange& change) {
  const Result<std::optional<Acl>> list = store_.Read(change.path);
  if (!list) return list.error();
  if (!*list) {
    return Error{.code = ErrorCode::kSetupFailed,
                 .message = "'" + change.path + "' has gone",
                 .pointer = change.pointer};
  }
  const bool known = std::any_of(written_.records.begin(), written_.records.end(),
                                 [&](const AclRecord& record) { return record.path == change.path; });
  if (!known) {
    AclRecord record{.path = change.path, .before = OwnEntriesOf(**list, written_.run.sid)};
    if (Status status = write_(LineOf(record)); !status) return status;
    written_.records.push_back(std::move(record));
  }
  return store_.Write(change.path, With(**list, EntryFor(change, written_.run.sid)));
}

Status AclJournal::BeginBfs(const std::string& container) {
  if (Status written = write_(LineOfBfs(container)); !written) return written;
  written_.bfs = container;
  return Done{};
}

Status AclJournal::BeginExemption() {
  if (Status written = write_(LineOfExemption()); !written) return written;
  written_.exemption = true;
  return Done{};
}

Unrestored AclJournal::Undo() {
  Unrestored left = PutBack(written_, store_, undoing_);
  written_.records = left.records;
  return left;
}

}  // namespace mxc
