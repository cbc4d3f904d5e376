#include "tests/support/access_corpus.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/built.h"

namespace mxc::test {
namespace {

using Document = nlohmann::json;

bool IsYes(const Document& value) { return value.get<std::string>() == "yes"; }

AccessQuestion QuestionOf(const Document& line) {
  AccessQuestion question{.ask = line.at("ask"), .at = line.at("at"), .to = line.value("to", "")};
  question.answer = IsYes(line.at("answer"));
  const Document differs = line.value("differs", Document::object());
  for (const auto& [name, difference] : differs.items()) {
    question.differs[name] = {.answer = IsYes(difference.at("answer")), .because = difference.at("because")};
  }
  return question;
}

std::vector<std::string> ListOf(const Document& line, const char* key) {
  return line.value(key, std::vector<std::string>{});
}

AccessPolicy PolicyOf(const Document& line) {
  return {.name = line.at("policy"),
          .read_write = ListOf(line, "rw"),
          .read_only = ListOf(line, "ro"),
          .denied = ListOf(line, "denied"),
          .network = line.contains("network") ? line["network"].dump() : "",
          .unprotected = line.contains("protect"),
          .refused = line.value("refused", std::map<std::string, std::string>{})};
}

Document Paths(const std::vector<std::string>& paths, const std::string& root) {
  Document list = Document::array();
  for (const std::string& path : paths) list.push_back(AccessPath(root, path));
  return list;
}

}  // namespace

AccessCorpus ReadAccessCorpus() {
  AccessCorpus corpus;
  std::ifstream file(SourceDirectory() + "/tests/conformance/access.jsonl");
  for (std::string text; std::getline(file, text);) {
    const Document line = Document::parse(text);
    if (line.contains("tree")) {
      corpus.directories = ListOf(line["tree"], "directories");
      corpus.repositories = ListOf(line["tree"], "repositories");
      corpus.links = line["tree"].at("links").get<std::map<std::string, std::string>>();
    } else if (line.contains("ask")) {
      // The questions of a policy stand behind it.
      if (corpus.policies.empty() || corpus.policies.back().name != line.at("policy")) {
        throw std::invalid_argument("a question without its policy: " + text);
      }
      corpus.policies.back().questions.push_back(QuestionOf(line));
    } else {
      corpus.policies.push_back(PolicyOf(line));
    }
  }
  return corpus;
}

std::string AccessPath(const std::string& root, const std::string& path) {
  return path == "." ? root : root + "/" + path;
}

std::string AccessConfig(const AccessPolicy& policy, const std::string& containment,
                         const std::string& root) {
  Document files = {{"readwritePaths", Paths(policy.read_write, root)},
                    {"readonlyPaths", Paths(policy.read_only, root)},
                    {"deniedPaths", Paths(policy.denied, root)}};
  if (policy.unprotected) files["protect"] = Document::array();
  Document document = {{"version", "0.8.0-alpha"},
                       {"containment", containment},
                       {"process", {{"commandLine", "true"}}},
                       {"filesystem", std::move(files)}};
  if (!policy.network.empty()) document["network"] = Document::parse(policy.network);
  return document.dump();
}

}  // namespace mxc::test
