// Random settings of other programs against a small model of what those programs mean: the configuration that
// is printed lets nothing be read or written that the settings deny.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "document/parse.h"
#include "import/import.h"
#include "policy/paths/glob.h"
#include "policy/paths/rules.h"
#include "policy/resolve.h"
#include "profiles/expand_document.h"
#include "tests/support/fake_host.h"
#include "tests/unit/decode_text.h"

namespace mxc::import_model_test {
namespace {

using Paths = std::vector<std::string>;

constexpr const char* kWork = "/srv/work";
constexpr const char* kHome = "/home/me";
// Files, two of them in directories that no name in the settings is of.
const Paths kFiles = {"/srv/work/k.txt",
                      "/srv/work/x.pem",
                      "/srv/work/a/x.pem",
                      "/srv/work/a/b/k.txt",
                      "/srv/work/a/b/x.pem",
                      "/srv/work/secrets/k.txt",
                      "/srv/work/secrets/x.pem",
                      "/srv/work/secrets/pub/k.txt",
                      "/srv/work/secrets/pub/x.pem",
                      "/srv/work/secrets/pub/in/x.pem",
                      "/srv/work/a/secrets/x.pem",
                      "/home/me/.ssh/id_a",
                      "/home/me/.ssh/known",
                      "/home/me/w/x.pem",
                      "/home/me/w/secrets/k.txt",
                      "/home/me/w/secrets/x.pem"};
const Paths kNames = {".",
                      "./a",
                      "./a/b",
                      "./k.txt",
                      "./x.pem",
                      "./secrets",
                      "./secrets/k.txt",
                      "./secrets/x.pem",
                      "./secrets/pub",
                      "./secrets/pub/in",
                      "./a/secrets",
                      "./missing",
                      "~",
                      "~/.ssh",
                      "~/.ssh/id_a",
                      "~/w",
                      "~/w/secrets",
                      "/srv",
                      "./secrets/x.pem",
                      "~/.ssh/known"};
const Paths kPatterns = {"./**/*.pem",      "./*.pem",  "./secrets/*",   "./secrets/**/*.pem",
                         "./**/secrets",    "./**/pub", "~/.ssh/id_*",   "~/**/x.*",
                         "~/*/secrets",     "./?/*",    "/srv/**/k.txt", "./**/pub/*.pem",
                         "./**/b/**/x.pem", "/**/x.pem"};

std::string Expanded(const std::string& written) {
  if (written == ".") return kWork;
  if (written.starts_with("./")) return kWork + written.substr(1);
  return written.starts_with('~') ? kHome + written.substr(1) : written;
}

// `path` with all directories above it.
Paths WithAbove(const std::string& path) {
  Paths all = {"/"};
  for (std::size_t at = 1; at < path.size(); ++at)
    if (path[at] == '/') all.push_back(path.substr(0, at));
  all.push_back(path);
  return all;
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the paths above
bool Matches(const Paths& pattern, std::size_t at, const Paths& path, std::size_t from) {
  if (at == pattern.size()) return from == path.size();
  if (pattern[at] == "**" && Matches(pattern, at + 1, path, from)) return true;
  if (from == path.size()) return false;
  if (pattern[at] == "**") return Matches(pattern, at, path, from + 1);
  return MatchesName(pattern[at], path[from]) && Matches(pattern, at + 1, path, from + 1);
}

// The paths at or above `path` that an entry stands for.
Paths MatchesAbove(const std::string& entry, const std::string& path) {
  Paths matches;
  for (const std::string& above : WithAbove(path))
    if (Matches(Components(Expanded(entry)), 0, Components(above), 0)) matches.push_back(above);
  return matches;
}

bool AnyCovers(const Paths& entries, const std::string& path) {
  return std::any_of(entries.begin(), entries.end(),
                     [&](const std::string& entry) { return !MatchesAbove(entry, path).empty(); });
}

struct Settings {
  Paths deny_read = {};
  Paths allow_read = {};
  Paths allow_write = {};
  Paths deny_write = {};

  // A denial is opened by what may be read below it.
  [[nodiscard]] bool MayRead(const std::string& path) const {
    return std::none_of(deny_read.begin(), deny_read.end(), [&](const std::string& denial) {
      const bool all = denial == "/";  // a write grant is what there is to read then
      return !MatchesAbove(denial, path).empty() &&
             std::none_of(allow_read.begin(), allow_read.end(),
                          [&](const std::string& entry) {
                            const Paths opened = MatchesAbove(entry, path);
                            return std::any_of(opened.begin(), opened.end(), [&](const std::string& one) {
                              return !MatchesAbove(denial, one).empty();
                            });
                          }) &&
             !(all && AnyCovers(allow_write, path));
    });
  }
  [[nodiscard]] bool MayWrite(const std::string& path) const {
    return AnyCovers(allow_write, path) && !AnyCovers(deny_write, path) && MayRead(path);
  }
};

std::string List(const Paths& paths, const std::string& before = {}, const std::string& behind = {}) {
  std::string text;
  for (const std::string& path : paths) {
    text += (text.empty() ? "\"" : ",\"") + before + path + behind + "\"";
  }
  return text;
}

std::string OfSrt(const Settings& settings) {
  return R"({"filesystem": {"denyRead": [)" + List(settings.deny_read) + R"(], "allowRead": [)" +
         List(settings.allow_read) + R"(], "allowWrite": [)" + List(settings.allow_write) +
         R"(], "denyWrite": [)" + List(settings.deny_write) + "]}}";
}

// A path with one slash begins in the directory of the settings.
std::string OfClaudeCode(const Settings& settings) {
  const auto rules = [](const Paths& paths, const std::string& tool) {
    Paths subjects;
    for (const std::string& path : paths) subjects.push_back(path.starts_with('/') ? "/" + path : path);
    return List(subjects, tool + "(", ")");
  };
  std::string denials = rules(settings.deny_read, "Read");
  const std::string writes = rules(settings.deny_write, "Edit");
  denials += (denials.empty() || writes.empty() ? "" : ",") + writes;
  return R"({"sandbox": {"filesystem": {"allowRead": [)" + List(settings.allow_read) +
         R"(]}}, "permissions": {"allow": [)" + rules(settings.allow_write, "Edit") + R"(], "deny": [)" +
         denials + "]}}";
}

class Model : public testing::Test {
 protected:
  void SetUp() override {
    host_.AddDebian().AddFile("/usr/bin/true").SetEnvironment("HOME", kHome);
    for (const std::string& file : kFiles) host_.AddFile(file);
  }

  // What the configuration lets be read or written, and the settings do not; "": nothing. Counts in `judged`.
  std::string Opened(const std::string& text, const Settings& settings) {
    const Result<Import> import = ImportSettings({.name = "test", .bytes = text}, kWork, host_);
    if (!import) return Refused(import.error());
    Result<Json> document = ParseDocument({.name = "test", .bytes = import->text});
    if (!document || !ExpandDocument(kWork, host_, *document).ok()) return "not read again";
    const Result<Config> config = Decode(*document, {.command = {"true"}});
    if (!config) return "not read again: " + config.error().message;
    const Result<Policy> policy = Resolve(*config, host_, {});
    if (!policy) return Refused(policy.error());
    ++judged_;
    const RuleSet rules(policy->paths);
    for (const std::string& file : kFiles) {
      const PathRule* const rule = rules.Covering(file);
      if (rule == nullptr || rule->access == Access::kDenied) continue;
      const bool written = rule->access == Access::kReadWrite;
      if (written ? settings.MayWrite(file) : settings.MayRead(file)) continue;
      return (written ? "written: " : "read: ") + file + "\n" + text + "\n" + import->text;
    }
    return "";
  }

  // Nothing runs.
  std::string Refused(const Error& error) {
    refused_ = error.message;
    return "";
  }

  FakeHost host_;
  int judged_ = 0;
  std::string refused_ = {};
};

class Random {
 public:
  // NOLINTNEXTLINE(cert-msc51-cpp,bugprone-random-generator-seed): the same settings in each run
  Random() : engine_(19) {}
  std::size_t Below(std::size_t end) { return engine_() % end; }
  // Up to three of these.
  Paths Some(const Paths& names, const Paths& patterns) {
    Paths some;
    for (std::size_t left = Below(4); left > 0; --left) {
      const bool pattern = !patterns.empty() && Below(2) == 0;
      some.push_back(pattern ? patterns[Below(patterns.size())] : names[Below(names.size())]);
    }
    return some;
  }

 private:
  std::mt19937 engine_;
};

TEST_F(Model, NoDenialBecomesAGrant) {
  constexpr int kSettings = 100;
  Random random;
  for (int i = 0; i < kSettings; ++i) {
    Settings settings;
    settings.deny_read = random.Some(kNames, kPatterns);
    settings.allow_read = random.Some(kNames, kPatterns);
    settings.allow_write = random.Some(kNames, {});
    settings.deny_write = random.Some(kNames, kPatterns);
    ASSERT_EQ(Opened(OfClaudeCode(settings),
                     [&] {
                       Settings with_work = settings;  // what the agent may write in any case
                       with_work.allow_write.emplace_back(".");
                       return with_work;
                     }()),
              "");
    if (random.Below(8) == 0) settings.deny_read.emplace_back("/");
    ASSERT_EQ(Opened(OfSrt(settings), settings), "");
  }
  EXPECT_GT(judged_, kSettings / 2) << refused_;
}

// Of Codex: of the paths that name a file or a directory above it, the longest says what may be done.
TEST_F(Model, NorDoesOneOfCodexs) {
  constexpr int kSettings = 100;
  Random random;
  for (int i = 0; i < kSettings; ++i) {
    std::vector<std::pair<std::string, std::string>> entries;
    const auto add = [&](const Paths& paths, const char* access) {
      for (const std::string& path : paths) {
        if (path == ".") continue;
        const std::string full = Expanded(path);
        const bool twice = std::any_of(entries.begin(), entries.end(),
                                       [&](const auto& entry) { return entry.first == full; });
        if (!twice) entries.emplace_back(full, access);
      }
    };
    add(random.Some(kNames, kPatterns), "deny");
    add(random.Some(kNames, {}), "read");
    add(random.Some(kNames, {}), "write");
    std::string text =
        "default_permissions = \"p\"\n[permissions.p]\nextends = \":read-only\"\n"
        "[permissions.p.filesystem]\n";
    for (const auto& [path, access] : entries) text += "\"" + path + "\" = \"" + access + "\"\n";
    const auto access_of = [&](const std::string& file) {
      std::string decided = "read";
      std::size_t longest = 0;
      for (const auto& [path, access] : entries) {
        for (const std::string& match : MatchesAbove(path, file)) {
          if (match.size() < longest || (match.size() == longest && decided == "deny")) continue;
          longest = match.size();
          decided = access;
        }
      }
      return decided;
    };
    Settings model;
    for (const std::string& file : kFiles) {
      const std::string access = access_of(file);
      if (access == "deny") model.deny_read.push_back(file);
      if (access == "write") model.allow_write.push_back(file);
    }
    ASSERT_EQ(Opened(text, model), "");
  }
  EXPECT_GT(judged_, kSettings / 2) << refused_;
}

}  // namespace
}  // namespace mxc::import_model_test
