#include "ceiling/written_files.h"

#include <memory>
#include <string>

#include "ceiling/ceiling_paths.h"

namespace mxc {
namespace {

Error DeniedBy(const CeilingSection& section, const std::string& clause, const WrittenFile& file) {
  return Conflict(file.name + " " + Quoted(file.path) + " is denied by the ceiling of this machine (" +
                      section.At(clause) + ")",
                  file.pointer, "choose another file");
}

Status CheckFileWithin(const CeilingSection& section, const CeilingPaths& paths, const WrittenFile& file,
                       const Host& host, PathWalker& walker) {
  const bool absolute = file.path.front() == '/';
  const Result<Walked> walked =
      walker.Walk(absolute ? file.path : JoinPath(host.WorkingDirectory(), file.path));
  if (!walked) {
    return Conflict(file.name + " " + Quoted(file.path) +
                        " cannot be compared with the ceiling of this machine: " + walked.error().message,
                    file.pointer, "choose a path the caller can look at");
  }
  std::optional<FileObject> object;
  if (walked->status) object = walked->status->object;
  const CeilingVerdict verdict = paths.Judge(walked->path, object);
  if (verdict.access == Access::kDenied && !verdict.baseline) return DeniedBy(section, verdict.clause, file);
  return Done{};
}

}  // namespace

Status CheckFilesWithin(const std::optional<Ceiling>& ceiling, const std::vector<WrittenFile>& files,
                        const Host& host) {
  if (!ceiling) return Done{};
  PathWalker walker(host);
  for (const CeilingSection& section : ceiling->sections) {
    if (section.bounds.denied.empty()) continue;
    const Result<std::unique_ptr<CeilingPaths>> paths = CeilingPaths::Resolve(section, host, walker);
    if (!paths) return paths.error();
    for (const WrittenFile& file : files) {
      if (file.path.empty()) continue;
      if (Status within = CheckFileWithin(section, **paths, file, host, walker); !within) return within;
    }
  }
  return Done{};
}

}  // namespace mxc
