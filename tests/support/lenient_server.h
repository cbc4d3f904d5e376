// A server that takes more for a request than any specification says: all that nginx, Apache, Go, Python's
// http.server, tinyproxy, OpenSSL and GnuTLS take, and what none of them refuses for its form alone. It says
// which hosts it saw.
//
//   std::vector<std::string> seen = HostsSeen(bytes);   // in small letters; of a client that has said no
//   more
//
// It passes over what stands before a request or a ClientHello at some server: NUL and empty lines, records
// of TLS of other types and without contents, headers of the PROXY protocol.
//
// It keeps to what ends a body, and gives up at a line that is no request at all, as they do.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mxc::test {

struct Leniency {
  std::string_view blanks;  // between the words of a request
  bool lone_cr = false;     // ends a line
  bool lone_lf = true;
  bool any_version = true;  // three words are a request, whatever the third one is
};

class LenientReader {
 public:
  LenientReader(std::string_view bytes, Leniency leniency) : bytes_(bytes), leniency_(leniency) {}

  std::vector<std::string> Read() {
    while (PassOver()) {
    }
    if (bytes_.starts_with('\x16')) {
      ReadTls();
    } else {
      while (!bytes_.empty() && ReadRequest()) {
      }
    }
    return std::move(seen_);
  }

 private:
  void See(std::string_view host) {
    host.remove_prefix(std::min(host.find_first_not_of(" \t"), host.size()));
    host = host.substr(0, host.find_last_not_of(" \t") + 1);
    host = host.substr(0, host.find_first_of(std::string_view("/?#\0", 4)));
    if (const auto at = host.rfind('@'); at != std::string_view::npos) host.remove_prefix(at + 1);
    if (!host.starts_with('[')) host = host.substr(0, host.find(':'));
    std::string small(host);
    for (char& c : small) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    while (small.ends_with('.')) small.pop_back();
    if (!small.empty()) seen_.push_back(small);
  }

  bool PassOver() {
    constexpr std::string_view kProxy2("\r\n\r\n\0\r\nQUIT\n", 12);
    std::size_t size = 0;
    if (bytes_.starts_with(kProxy2) && bytes_.size() >= 16) {
      size = 16 + Number(bytes_, 14, 2);
    } else if (bytes_.starts_with("PROXY ")) {
      size = std::min(bytes_.find('\n'), bytes_.size() - 1) + 1;
    } else if (!bytes_.empty() && (bytes_[0] == '\0' || bytes_[0] == '\r' || bytes_[0] == '\n')) {
      size = 1;
    } else if (IsOtherRecord()) {
      size = 5 + Number(bytes_, 3, 2);
    }
    bytes_.remove_prefix(std::min(size, bytes_.size()));
    return size != 0;
  }
  [[nodiscard]] bool IsOtherRecord() const {
    if (bytes_.size() < 5 || bytes_[1] != '\x03' || static_cast<std::uint8_t>(bytes_[2]) > 4) return false;
    return bytes_[0] != '\x16' || Number(bytes_, 3, 2) == 0;
  }

  // The next line without its end; the end of the bytes ends one as well.
  std::optional<std::string> Line() {
    if (bytes_.empty()) return std::nullopt;
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      const bool both = bytes_.substr(i, 2) == "\r\n";
      const bool lone = (leniency_.lone_lf && bytes_[i] == '\n') || (leniency_.lone_cr && bytes_[i] == '\r');
      if (!both && !lone) continue;
      std::string line(bytes_.substr(0, i));
      bytes_.remove_prefix(i + (both ? 2 : 1));
      return line;
    }
    return std::string(std::exchange(bytes_, {}));
  }

  [[nodiscard]] std::vector<std::string> Words(std::string_view line) const {
    std::vector<std::string> words;
    while (!line.empty()) {
      const auto begin = line.find_first_not_of(leniency_.blanks);
      if (begin == std::string_view::npos) break;
      line.remove_prefix(begin);
      const auto end = std::min(line.find_first_of(leniency_.blanks), line.size());
      words.emplace_back(line.substr(0, end));
      line.remove_prefix(end);
    }
    return words;
  }

  static std::string Folded(std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
  }

  bool ReadRequest() {
    std::optional<std::string> line = Line();
    while (line && Words(*line).empty()) line = Line();  // empty lines before a request
    if (!line) return false;
    const std::vector<std::string> words = Words(*line);
    if (words.size() < 2) return false;
    const bool two_lines = line->find('\n') != std::string::npos;
    bool version = leniency_.any_version;
    for (std::size_t i = 2; i < words.size(); ++i)
      version = version || Folded(words[i]).find("http/") != std::string::npos;
    if (two_lines && !version) return false;  // of HTTP/0.9 nobody sends so much
    const std::string& target = words[1];
    const auto scheme = target.find("://");
    if (scheme != std::string::npos && target.find('/') > scheme)
      See(std::string_view(target).substr(scheme + 3));
    if (Folded(words[0]) == "connect" && version) See(target);
    if (words.size() == 2 || !version) return false;  // HTTP/0.9
    std::size_t length = 0;
    bool chunked = false;
    std::string name;
    for (line = Line(); line && !line->empty(); line = Line()) {
      const bool folds = leniency_.blanks.find(line->front()) != std::string_view::npos;
      const auto colon = line->find(':');
      if (!folds && colon == std::string::npos) continue;
      if (!folds) name = Folded(Joined(line->substr(0, colon)));
      const std::string value = Joined(folds ? *line : line->substr(colon + 1));
      if (name == "host") See(value);
      if (name == "content-length")
        length = static_cast<std::size_t>(std::strtoull(value.c_str(), nullptr, 10));
      if (name == "transfer-encoding")
        chunked = chunked || Folded(value).find("chunked") != std::string::npos;
    }
    if (Folded(words[0]) == "connect" && bytes_.starts_with('\x16')) {
      ReadTls();
      return false;
    }
    return chunked ? SkipChunks() : SkipBytes(length);
  }

  [[nodiscard]] std::string Joined(const std::string& text) const {
    std::string joined;
    for (const std::string& word : Words(text)) joined += word;
    return joined;
  }

  bool SkipBytes(std::size_t count) {
    bytes_.remove_prefix(std::min(count, bytes_.size()));
    return true;
  }
  bool SkipChunks() {
    for (std::optional<std::string> line = Line(); line; line = Line()) {
      const auto size = static_cast<std::size_t>(std::strtoull(line->c_str(), nullptr, 16));
      if (size == 0) {
        while ((line = Line()) && !line->empty()) {
        }
        return true;
      }
      SkipBytes(size);
      (void)Line();
    }
    return false;
  }

  // Versions are not looked at; the message may be spread over records.
  void ReadTls() {
    std::string message;
    while (bytes_.size() >= 5 && (bytes_[0] == '\x16' || IsOtherRecord())) {
      const std::size_t size = Number(bytes_, 3, 2);
      if (bytes_[0] == '\x16') message += bytes_.substr(5, size);
      bytes_.remove_prefix(std::min(bytes_.size(), 5 + size));
    }
    while (message.size() >= 4 && message[0] == '\1') {
      const std::size_t size = Number(message, 1, 3);
      if (message.size() < 4 + size) return;
      ReadHello(std::string_view(message).substr(4, size));
      message.erase(0, 4 + size);
    }
  }
  void ReadHello(std::string_view hello) {
    std::size_t at = 34;
    for (const std::size_t width : {1U, 2U, 1U}) {
      if (hello.size() < at + width) return;
      at += width + Number(hello, at, width);
    }
    for (at += 2; hello.size() >= at + 4; at += 4 + Number(hello, at + 2, 2)) {
      if (Number(hello, at, 2) != 0) continue;
      const std::string_view list = hello.substr(at + 4, Number(hello, at + 2, 2));
      for (std::size_t i = 2; list.size() >= i + 3; i += 3 + Number(list, i + 1, 2)) {
        if (list[i] == 0) See(list.substr(i + 3, Number(list, i + 1, 2)));
      }
    }
  }
  static std::size_t Number(std::string_view text, std::size_t at, std::size_t width) {
    std::size_t value = 0;
    for (std::size_t i = 0; i < width; ++i) value = (value << 8U) | static_cast<std::uint8_t>(text[at + i]);
    return value;
  }

  std::string_view bytes_;
  Leniency leniency_;
  std::vector<std::string> seen_ = {};
};

inline std::vector<std::string> HostsSeen(std::string_view bytes, bool any_version = true) {
  constexpr std::string_view kBlanks[] = {" ", " \t", " \t\v\f\r\n", " \t\v\f\r\n\x1c\x1d\x1e\x1f\x85\xa0"};
  std::vector<std::string> all;
  for (const std::string_view blanks : kBlanks) {
    for (const bool lone_cr : {false, true}) {
      for (const bool lone_lf : {false, true}) {
        for (std::string& host : LenientReader(bytes, {blanks, lone_cr, lone_lf, any_version}).Read()) {
          all.push_back(std::move(host));
        }
      }
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace mxc::test
