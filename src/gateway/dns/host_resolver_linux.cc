#include "gateway/dns/host_resolver_linux.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <utility>

#include "gateway/dns/dns_question_linux.h"

namespace mxc::egress {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{4} * 1024 * 1024;
constexpr std::size_t kMaxKnown = 4096;
constexpr std::uint64_t kKeepMs = 60000;
// A missing name may appear soon; a program may ask for it a thousand times a second.
constexpr std::uint64_t kKeepFailureMs = 1000;
// RFC 8305, 3: how long IPv4 addresses wait for IPv6 ones.
constexpr std::uint64_t kWaitForIpv6Ms = 50;

}  // namespace

const std::string& WatchedFile::Text() {
  const UniqueFd file{::open(path_, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat status {};
  if (!file || ::fstat(file.Get(), &status) != 0) return text_;
  const std::uint64_t stamp = (status.st_ino * 1000003U) ^
                              (static_cast<std::uint64_t>(status.st_mtim.tv_sec) << 20U) ^
                              static_cast<std::uint64_t>(status.st_mtim.tv_nsec) ^
                              (static_cast<std::uint64_t>(status.st_size) << 44U);
  if (stamp == stamp_) return text_;
  stamp_ = stamp;
  text_.clear();
  std::array<char, 16384> buffer{};
  while (text_.size() < kMaxFileBytes) {
    const ssize_t count = ::read(file.Get(), buffer.data(), buffer.size());
    if (count <= 0) break;
    text_.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return text_;
}

// The questions about one name: both families at a time, one form of the name after the other.
class Lookup : public std::enable_shared_from_this<Lookup> {
 public:
  // `denied`: the form behind the last one, which may not be asked for.
  Lookup(HostResolver& resolver, std::string key, ResolvConf conf, std::vector<std::string> forms,
         std::string denied)
      : resolver_(resolver),
        key_(std::move(key)),
        conf_(std::move(conf)),
        forms_(std::move(forms)),
        denied_(std::move(denied)) {}

  void AddCallback(HostResolver::Callback callback) { callbacks_.push_back(std::move(callback)); }
  [[nodiscard]] std::vector<HostResolver::Callback> TakeCallbacks() { return std::exchange(callbacks_, {}); }

  void Ask() {
    pending_ = 2;
    answered_ = false;
    for (const std::uint16_t type : {kTypeAaaa, kTypeA}) {
      auto question = std::make_shared<Question>(
          resolver_.loop_, conf_, forms_[form_], type,
          [this, type](const std::optional<DnsResponse>& response) { Take(type, response); });
      questions_.push_back(question);
      question->Ask();
    }
  }

  void DeferDeletionOfQuestions() {
    for (auto& question : questions_) {
      question->Cancel();
      resolver_.loop_.DeferDeletion(std::move(question));
    }
    questions_.clear();
  }

 private:
  void Take(std::uint16_t type, const std::optional<DnsResponse>& response) {
    --pending_;
    if (response) {
      answered_ = true;
      const auto at = type == kTypeAaaa ? addresses_.begin() : addresses_.end();
      addresses_.insert(at, response->addresses.begin(), response->addresses.end());
      keep_ms_ = std::min(keep_ms_, std::uint64_t{response->ttl_s} * 1000);
    }
    if (pending_ == 0) return Conclude();
    if (type == kTypeA && !addresses_.empty()) {
      patience_.Set(resolver_.loop_, kWaitForIpv6Ms, [this] { Conclude(); });
    }
  }

  void Conclude() {
    patience_.Cancel();
    DeferDeletionOfQuestions();
    if (addresses_.empty() && answered_ && form_ + 1 < forms_.size()) {
      ++form_;
      return Ask();
    }
    Resolution resolution{.addresses = std::move(addresses_)};
    if (resolution.addresses.empty()) {
      if (answered_) resolution.denied = denied_;
      resolution.problem = answered_ ? "the name has no address" : "no name server answers";
      keep_ms_ = kKeepFailureMs;
    }
    // Kept only if both families have been answered.
    resolver_.Finish(key_, std::move(resolution), pending_ == 0 ? keep_ms_ : 0);
  }

  HostResolver& resolver_;
  std::string key_;
  ResolvConf conf_;
  std::vector<std::string> forms_;
  std::string denied_;
  std::size_t form_ = 0;
  std::vector<std::shared_ptr<Question>> questions_ = {};
  std::vector<HostResolver::Callback> callbacks_ = {};
  std::vector<IpAddress> addresses_ = {};
  Timer patience_;
  std::uint64_t keep_ms_ = kKeepMs;
  int pending_ = 0;
  bool answered_ = false;
};

HostResolver::~HostResolver() = default;

void HostResolver::Resolve(const std::string& name, const Denies& denies, Callback callback) {
  ResolvConf conf = ParseResolvConf(resolv_conf_.Text());
  std::vector<std::string> forms = FormsOf(name, conf);
  const auto cut = std::find_if(forms.begin() + 1, forms.end(), denies);
  const std::string denied = cut == forms.end() ? "" : *cut;
  forms.erase(cut, forms.end());
  const std::string key = name + " " + denied;  // what is denied depends on the port
  const auto later = [&](Resolution resolution) {
    loop_.Defer([callback, resolution = std::move(resolution)] { callback(resolution); });
  };
  const auto known = known_.find(key);
  if (known != known_.end() && known->second.until_ms > loop_.NowMs()) return later(known->second.resolution);
  if (const auto running = running_.find(key); running != running_.end()) {
    return running->second->AddCallback(std::move(callback));
  }
  std::vector<IpAddress> written = FindInHosts(hosts_.Text(), name);
  if (!written.empty()) return later({.addresses = std::move(written)});
  if (running_.size() >= limit_) return later({.problem = "too many names are being resolved"});
  auto lookup = std::make_shared<Lookup>(*this, key, std::move(conf), std::move(forms), denied);
  running_.emplace(key, lookup);
  lookup->AddCallback(std::move(callback));
  lookup->Ask();
}

ResolverTexts HostResolver::Texts() {
  if (read_in_ != loop_.Turns()) {
    read_in_ = loop_.Turns();
    read_conf_ = ParseResolvConf(resolv_conf_.Text());
    const std::string& hosts = hosts_.Text();
    if (hosts_stamp_ != hosts_.Stamp()) read_hosts_ = HostsFile(hosts);
    hosts_stamp_ = hosts_.Stamp();
  }
  return {.hosts = &read_hosts_, .resolv_conf = &read_conf_};
}

void HostResolver::Finish(const std::string& key, const Resolution& resolution, std::uint64_t keep_ms) {
  const std::shared_ptr<Lookup> lookup = std::move(running_.at(key));
  running_.erase(key);
  loop_.Defer([lookup] {});  // it is still on the stack
  if (known_.size() >= kMaxKnown) known_.clear();
  if (keep_ms != 0) known_[key] = {.resolution = resolution, .until_ms = loop_.NowMs() + keep_ms};
  for (const Callback& callback : lookup->TakeCallbacks()) callback(resolution);
}

}  // namespace mxc::egress
