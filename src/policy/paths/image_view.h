// Paths inside, where the files of an image show: what each names on the host.
//
//   ImageView view(host, "/images/x", workspace, {"/srv/work"});
//   view.Named("/etc/passwd")  // {"/images/x/etc/passwd"}; links lead where they do inside
#pragma once

#include <string>
#include <vector>

#include "mxc/error.h"
#include "mxc/host.h"
#include "mxc/policy.h"
#include "policy/paths/paths.h"

namespace mxc {

class ImageView {
 public:
  // `image`: a canonical directory. `granted`: the paths inside that show the host's own files. What is
  // passed by reference is borrowed.
  ImageView(const Host& host, const std::string& image, const Workspace& workspace,
            std::vector<std::string> granted);

  // The canonical path on the host; none where there is nothing, or nothing that the caller can get to.
  // Errors, kConflict: it cannot be told.
  [[nodiscard]] Result<std::vector<std::string>> Named(const std::string& path);
  // The same of what a pattern of `deniedPaths` matches, but in granted directories only what links of the
  // image make part of it. Errors: those of ExpandGlob.
  [[nodiscard]] Result<std::vector<std::string>> Matching(const std::string& pattern);

 private:
  // As Host has it, for paths that no link leads through.
  class Canonical final : public ForwardingHost {
   public:
    Canonical(const Host& host, const std::string& image, const Workspace& workspace,
              std::vector<std::string> granted)
        : ForwardingHost(host), image_(image), workspace_(workspace), granted_(std::move(granted)) {}

    [[nodiscard]] bool IsGranted(std::string_view path) const;
    [[nodiscard]] bool HoldsGrant(std::string_view path) const;  // also one itself
    [[nodiscard]] std::string OnHost(const std::string& path) const;
    [[nodiscard]] Lookup LookAt(const std::string& path) const override;
    [[nodiscard]] Result<std::string> ReadLink(const std::string& path) const override {
      return Asked().ReadLink(OnHost(path));
    }

   private:
    const std::string& image_;
    const Workspace& workspace_;
    std::vector<std::string> granted_;
  };
  class AnyPath;

  [[nodiscard]] bool IsOutOfReach(const std::string& path);
  [[nodiscard]] bool IsPlanted(const Walked& walked) const;

  Canonical canonical_;
  PathWalker walker_;
};

}  // namespace mxc
