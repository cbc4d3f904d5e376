// Maps paths inside, where an image is mounted, to files of the host.
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
  // `image`: a canonical directory. `granted`: the paths inside that show the host's own files. Borrows what
  // is passed by reference.
  ImageView(const Host& host, const std::string& image, const Workspace& workspace,
            std::vector<std::string> granted);

  // The canonical path on the host; empty if it does not exist or the caller cannot reach it. Errors:
  // kConflict if it cannot be determined.
  [[nodiscard]] Result<std::vector<std::string>> Named(const std::string& path);
  // The same for the matches of a pattern of `deniedPaths`; in granted directories only matches through links
  // of the image. Errors: those of ExpandGlob.
  [[nodiscard]] Result<std::vector<std::string>> Matching(const std::string& pattern);

 private:
  // As Host, for paths without links.
  class Canonical final : public ForwardingHost {
   public:
    Canonical(const Host& host, const std::string& image, const Workspace& workspace,
              std::vector<std::string> granted)
        : ForwardingHost(host), image_(image), workspace_(workspace), granted_(std::move(granted)) {}

    [[nodiscard]] bool IsGranted(std::string_view path) const;
    [[nodiscard]] bool HoldsGrant(std::string_view path) const;  // or is one
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
