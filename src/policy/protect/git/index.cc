#include "policy/protect/git/index.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "mxc/fold.h"
#include "mxc/limits.h"

namespace mxc {
namespace {

constexpr std::uint32_t kTypeBits = 0170000;
constexpr std::uint32_t kLink = 0120000;
constexpr std::uint32_t kDirectoryMode = 0040000;
constexpr std::size_t kHeaderBytes = 12;

// Code points that HFS+ ignores in names, as UTF-8.
bool TakeIgnored(std::string_view& name) {
  constexpr std::string_view kIgnored[] = {"\xE2\x80\x8C", "\xE2\x80\x8D", "\xE2\x80\x8E", "\xE2\x80\x8F",
                                           "\xE2\x80\xAA", "\xE2\x80\xAB", "\xE2\x80\xAC", "\xE2\x80\xAD",
                                           "\xE2\x80\xAE", "\xE2\x81\xAA", "\xE2\x81\xAB", "\xE2\x81\xAC",
                                           "\xE2\x81\xAD", "\xE2\x81\xAE", "\xE2\x81\xAF", "\xEF\xBB\xBF"};
  for (const std::string_view point : kIgnored) {
    if (!name.starts_with(point)) continue;
    name.remove_prefix(point.size());
    return true;
  }
  return false;
}

std::string WithoutIgnored(std::string_view name) {
  std::string text;
  while (!name.empty()) {
    if (TakeIgnored(name)) continue;
    text += name.front();
    name.remove_prefix(1);
  }
  return text;
}

// Whether it names the same file on HFS+, or on NTFS, where `short_name` with a digit names it as well.
bool MeansDotFile(std::string_view component, std::string_view name, std::string_view short_name) {
  const bool ignored = component.find_first_of("\xE2\xEF") != std::string_view::npos;
  if (ignored && EqualsFolded(WithoutIgnored(component), name)) return true;
  component = component.substr(0, component.find(':'));  // a stream
  component = component.substr(0, component.find_last_not_of(" .") + 1);
  const bool numbered = component.size() == short_name.size() + 1 &&
                        EqualsFolded(component.substr(0, short_name.size()), short_name) &&
                        component.back() >= '1' && component.back() <= '9';
  return numbered || EqualsFolded(component, name);
}

// The short name, with a hash, that NTFS uses when four others are taken.
bool MeansModules(std::string_view component) {
  return MeansDotFile(component, ".gitmodules", "gitmod~") ||
         (component.size() > 3 && EqualsFolded(component.substr(0, 3), "gi7") &&
          component.find('~') != std::string_view::npos);
}

bool IsGit(std::string_view component) {
  while (true) {  // `a\.git`: a separator on NTFS
    const std::size_t end = component.find('\\');
    if (MeansDotFile(component.substr(0, end), ".git", "git~")) return true;
    if (end == std::string_view::npos) return false;
    component.remove_prefix(end + 1);
  }
}

constexpr std::string_view kSignature = "DIRC";

class IndexReader {
 public:
  IndexReader(std::string_view bytes, GitIndexKind kind, const GitIndexVisit& visit)
      : bytes_(bytes), kind_(kind), visit_(visit) {}

  bool Read() {
    if (bytes_.size() < kHeaderBytes + kind_.hash_bytes || !bytes_.starts_with(kSignature)) return false;
    end_ = bytes_.size() - kind_.hash_bytes;
    version_ = BigEndianAt(bytes_, 4, 4);
    if (version_ < 2 || version_ > 4) return false;
    at_ = kHeaderBytes;
    const std::uint64_t count = BigEndianAt(bytes_, 8, 4);
    if (count > end_ / kLeastEntry) return false;
    for (std::uint64_t i = 0; i < count; ++i) {
      if (!ReadEntry()) return false;
    }
    starts_.push_back(at_);
    const std::size_t entries_end = at_;
    while (at_ < end_) {
      if (!ReadExtension(entries_end)) return false;
    }
    return ((nameless_ == 0 && ordered_) || split_) && EndsAsSeen();
  }

 private:
  static constexpr std::size_t kLeastEntry = 62;
  static constexpr std::size_t kStatBytes = 40;

  bool ReadEntry() {
    constexpr std::size_t kModeAt = 24;
    const std::size_t start = at_;
    const std::size_t flags_at = start + kStatBytes + kind_.hash_bytes;
    if (flags_at + 4 > end_) return false;
    const auto mode = static_cast<std::uint32_t>(BigEndianAt(bytes_, start + kModeAt, 4));
    const std::uint64_t flags = BigEndianAt(bytes_, flags_at, 2);
    const bool extended = (flags & 0x4000U) != 0;
    if (extended && version_ < 3) return false;
    at_ = flags_at + (extended ? 4 : 2);
    starts_.push_back(start);
    std::string path = path_;
    if (!ReadPath(path, start)) return false;
    // git uses the stored length, or the NUL if the length does not fit its field.
    constexpr std::uint64_t kLengthBits = 0xFFF;
    if ((flags & kLengthBits) != std::min<std::uint64_t>(path.size(), kLengthBits)) return false;
    if (path.empty()) {
      ++nameless_;
    } else if (path.size() > kMaxPathBytes || !StaysInWorkTree(path, mode)) {
      return false;
    } else if (visit_) {
      visit_(path, mode);
    }
    const std::uint64_t stage = flags >> 12U & 3U;
    if (starts_.size() > 1 &&
        std::pair(std::string_view(path_), stage_) >= std::pair(std::string_view(path), stage))
      ordered_ = false;
    path_ = std::move(path);
    stage_ = stage;
    return true;
  }

  // `path`: the previous one, of which version 4 keeps a part.
  bool ReadPath(std::string& path, std::size_t start) {
    if (version_ == 4) {
      std::uint64_t stripped = 0;
      if (!ReadVariable(stripped) || stripped > path.size()) return false;
      path.resize(path.size() - stripped);
      if (path.empty()) whole_.push_back(start);
    } else {
      path.clear();
    }
    const std::size_t end = bytes_.substr(0, end_).find('\0', at_);
    if (end == std::string_view::npos) return false;
    path += bytes_.substr(at_, end - at_);
    constexpr std::size_t kPadding = 8;
    at_ = version_ == 4 ? end + 1 : start + (end - start + kPadding) / kPadding * kPadding;
    return at_ <= end_;
  }

  // In the encoding of offsets in packs.
  bool ReadVariable(std::uint64_t& value) {
    for (value = 0; at_ < end_; value = (value + 1) << 7U) {
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      value |= byte & 0x7FU;
      if ((byte & 0x80U) == 0) return true;
      if (value > end_) return false;
    }
    return false;
  }

  bool ReadExtension(std::size_t entries_end) {
    constexpr std::size_t kHead = 8;
    if (at_ + kHead > end_) return false;
    const std::string_view name = bytes_.substr(at_, 4);
    const std::uint64_t size = BigEndianAt(bytes_, at_ + 4, 4);
    if (size > end_ - at_ - kHead) return false;
    const std::size_t data = at_ + kHead;
    at_ = data + static_cast<std::size_t>(size);
    if (name == "link") return ReadSplit(data, size);
    // Readers with several threads start at the offsets in these.
    if (name == "EOIE") {
      end_seen_ = true;
      return size == 4 + kind_.hash_bytes && BigEndianAt(bytes_, data, 4) == entries_end && at_ == end_;
    }
    if (name == "IEOT") return ReadBlocks(data, size);
    return name == "sdir" || (name.front() >= 'A' && name.front() <= 'Z');
  }

  // git reads it at the end of the file, whatever precedes it.
  [[nodiscard]] bool EndsAsSeen() const {
    const std::size_t size = 12 + kind_.hash_bytes;
    return end_seen_ || end_ < size || bytes_.substr(end_ - size, 4) != "EOIE";
  }

  // Entries without a name take those of the base, which is read separately.
  bool ReadSplit(std::size_t data, std::uint64_t size) {
    if (kind_.shared || split_ || size < kind_.hash_bytes) return false;
    const std::string_view base = bytes_.substr(data, kind_.hash_bytes);
    split_ = base.find_first_not_of('\0') != std::string_view::npos;
    return true;
  }

  bool ReadBlocks(std::size_t data, std::uint64_t size) {
    constexpr std::size_t kBlock = 8;
    if (size < 4 || (size - 4) % kBlock != 0) return false;
    std::uint64_t entry = 0;
    for (std::size_t at = data + 4; at < data + size; at += kBlock) {
      const std::uint64_t start = BigEndianAt(bytes_, at, 4);
      if (entry >= starts_.size() || start != starts_[static_cast<std::size_t>(entry)]) return false;
      const bool whole = std::binary_search(whole_.begin(), whole_.end(), start);
      if (version_ == 4 && !whole) return false;
      entry += BigEndianAt(bytes_, at + 4, 4);
    }
    return entry + 1 == starts_.size();
  }

  std::string_view bytes_;
  GitIndexKind kind_;
  const GitIndexVisit& visit_;
  std::size_t end_ = 0;  // of the extensions
  std::uint64_t version_ = 0;
  std::size_t at_ = 0;
  std::string path_ = {};  // of the last entry
  std::uint64_t stage_ = 0;
  std::size_t nameless_ = 0;
  bool ordered_ = true;
  bool split_ = false;
  bool end_seen_ = false;
  std::vector<std::uint64_t> starts_ = {};  // of the entries; and the end of the last
  std::vector<std::uint64_t> whole_ = {};   // of those that keep nothing of the previous path
};

}  // namespace

bool StaysInWorkTree(std::string_view path, std::uint32_t mode) {
  // An entry of a sparse index for a whole directory.
  if ((mode & kTypeBits) == kDirectoryMode && path.ends_with('/')) path.remove_suffix(1);
  while (true) {
    const std::size_t end = path.find('/');
    const std::string_view component = path.substr(0, end);
    if (component.empty() || component == "." || component == ".." || IsGit(component)) return false;
    if (end == std::string_view::npos) return (mode & kTypeBits) != kLink || !MeansModules(component);
    path.remove_prefix(end + 1);
  }
}

bool IsTrustworthyIndex(std::string_view bytes, GitIndexKind kind, const GitIndexVisit& visit) {
  return !bytes.starts_with(kSignature) || IndexReader(bytes, kind, visit).Read();
}

void GitParts::Add(const GitParts& more) {
  head = head || more.head;
  objects = objects || more.objects;
  refs = refs || more.refs;
  common_directory = common_directory || more.common_directory;
}

// git creates a directory for a submodule as well, and follows links.
void GitPartsInIndex::Note(std::string_view path, std::uint32_t mode) {
  constexpr std::uint32_t kRegular = 0100000;
  const bool file = (mode & kTypeBits) == kRegular || (mode & kTypeBits) == kLink;
  for (std::size_t begin = 0; begin != std::string_view::npos;) {
    const std::size_t first = begin == 0 ? 0 : begin + 1;
    const std::size_t end = path.find('/', first);
    const std::string_view name = path.substr(first, end == std::string_view::npos ? end : end - first);
    const bool leaf = file && end == std::string_view::npos;
    const GitParts parts{.head = leaf && EqualsFolded(name, "HEAD"),
                         .objects = EqualsFolded(name, "objects"),
                         .refs = EqualsFolded(name, "refs"),
                         .common_directory = leaf && EqualsFolded(name, "commondir")};
    if (parts.head || parts.objects || parts.refs || parts.common_directory)
      Add(path.substr(0, begin), parts);
    begin = end;
  }
}

void GitPartsInIndex::Add(const GitPartsInIndex& more) {
  for (const auto& [directory, parts] : more.parts_) Add(directory, parts);
}

void GitPartsInIndex::Add(std::string_view directory, const GitParts& parts) {
  const auto found = parts_.find(directory);
  if (found != parts_.end()) return found->second.Add(parts);
  bytes_ += sizeof(GitParts) + sizeof(std::string) + directory.size();
  if (!Crowded()) parts_.emplace(directory, parts);
}

}  // namespace mxc
