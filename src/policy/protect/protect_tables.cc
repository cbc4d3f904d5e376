// What each preset protects, with the reason per row.
#include "policy/paths/placeholders.h"
#include "policy/protect/protect.h"

namespace mxc {
namespace {

using enum WhenMissing;

// Not here: .gitmodules and .gitattributes of a work tree, which every checkout writes and any cloned
// repository contains; refs, index, objects, logs, which git itself writes.
constexpr ProtectedRow kGitDirectory[] = {
    {"config", kFile, "", "names programs: filters, aliases, pager, editor, fsmonitor, includes"},
    {"config.worktree", kFile, "", "the same for one work tree"},
    {"commondir", kFile, kOwnCommonDirectory,
     "says where config and hooks are; \".\" is what its absence means"},
    {"hooks", kDirectory, "", "programs that git runs"},
    {"info/attributes", kLeft, "", "chooses filters; only among those of the configuration"},
    {"objects/info/alternates", kLeft, "", "shows objects from elsewhere; a new one is judged at the end"},
};

// Below worktrees/ of a git directory.
constexpr ProtectedRow kLinkedWorkTree[] = {
    {"config.worktree", kFile, "", "names programs"},
    {"commondir", kLeft, "", "says where config and hooks are"},
    {"gitdir", kLeft, "", "what `git worktree remove` deletes"},
};

constexpr ProtectedRow kGitHome[] = {
    {".gitconfig", kFile, "", "names programs, for every repository"},
};

constexpr ProtectedRow kGitConfigHome[] = {
    {"git", kDirectory, "", "names programs, for every repository"},
    {"git/config", kFile, "", "the same; may be a link"},
    {"git/attributes", kFile, "", "chooses filters; may be a link"},
};

// Below `.hg`.
constexpr ProtectedRow kMercurial[] = {
    {"hgrc", kFile, "", "names programs: hooks, aliases, extensions, includes"},
    {"hgrc-not-shared", kFile, "", "the same; read with share-safe alone"},
    {"sharedpath", kLeft, "", "says where another hgrc is; a new one is told at the end"},
};

// gpg writes keys and locks beside them.
constexpr ProtectedRow kGpgHome[] = {
    {"gpg.conf", kFile, "", "names programs, for signatures of commits"},
    {"gpg-agent.conf", kFile, "", "the same"},
    {"gpgsm.conf", kFile, "", "the same"},
    {"scdaemon.conf", kFile, "", "the same"},
    {"dirmngr.conf", kFile, "", "the same"},
    {"common.conf", kFile, "", "the same"},
};

constexpr ProtectedRow kShell[] = {
    {".profile", kFile, "", "read by login shells"},
    {".bash_profile", kFile, kNextBashLogin, "instead of the next two"},
    {".bash_login", kFile, kNextProfile, "instead of .profile"},
    {".bash_logout", kFile, "", "read by login shells"},
    {".bashrc", kFile, "", "read by bash"},
    {".bash_aliases", kFile, "", "read by .bashrc"},
    {".bash_completion", kLeft, "", "read by bash-completion"},
    {".local/share/bash-completion", kLeft, "", "the same"},
    {".zshenv", kFile, "", "read by zsh"},
    {".zprofile", kFile, "", "read by zsh"},
    {".zshrc", kFile, "", "read by zsh"},
    {".zlogin", kFile, "", "read by zsh"},
    {".zlogout", kFile, "", "read by zsh"},
    // zcompile(1): zsh ignores an empty one
    {".zshenv.zwc", kFile, "", "read instead of .zshenv, where it is newer or that is missing"},
    {".zprofile.zwc", kFile, "", "the same"},
    {".zshrc.zwc", kFile, "", "the same"},
    {".zlogin.zwc", kFile, "", "the same"},
    {".zlogout.zwc", kFile, "", "the same"},
    {".kshrc", kFile, "", "read by ksh"},
    {".mkshrc", kFile, "", "read by mksh"},
    {".cshrc", kFile, "", "read by csh"},
    {".tcshrc", kFile, kNextCshrc, "instead of .cshrc"},
    {".login", kFile, "", "read by csh"},
    {".logout", kFile, "", "read by csh"},
    {".inputrc", kFile, kSystemsInputrc, "types commands for keys"},
    {".xprofile", kFile, "", "read by display managers"},
    {".xsessionrc", kFile, "", "read by X sessions"},
    {".xsession", kLeft, "", "is the X session"},
    {".xinitrc", kLeft, "", "is what startx starts"},
    {".pam_environment", kFile, "", "environment of every login"},
    {".config/fish", kDirectory, "", "read by fish"},
    {".local/share/fish", kLeft, "", "the same"},
    {".config/nushell", kDirectory, "", "read by nushell"},
    {".config/zsh", kLeft, "", "read by zsh where ZDOTDIR names it"},
    {".config/zsh.zwc", kLeft, "", "functions of that directory, where fpath names it"},
    {".config/elvish", kLeft, "", "read by elvish"},
    {".config/powershell", kLeft, "", "read by PowerShell"},
    {".xonshrc", kLeft, "", "read by xonsh"},
    {".config/xonsh", kLeft, "", "the same"},
    {".local/share/xonsh/xonsh_script_cache", kLeft, "", "what xonsh has compiled of these"},
    {".cache/xonsh/xonsh_script_cache", kLeft, "", "the same"},
    {".config/autostart", kDirectory, "", "started with the desktop"},
    {".config/systemd", kDirectory, "", "units of the user"},
    {".local/share/systemd", kLeft, "", "the same"},
    {".config/environment.d", kDirectory, "", "environment of those units"},
    {".config/plasma-workspace", kLeft, "", "scripts of Plasma's start"},
    {".local/share/dbus-1", kLeft, "", "services that a message starts"},
    {".local/bin", kDirectory, "", "on the PATH of most logins"},
    {"bin", kHomeDirectory, "", "the same, once it is there"},
    {".bashrc.d", kLeft, "", "sourced by .bashrc"},
    {".oh-my-bash", kLeft, "", "the same"},
    {".oh-my-zsh", kLeft, "", "sourced by .zshrc"},
    {".oh-my-zsh.zwc", kLeft, "", "functions of that directory, where fpath names it"},
    {".zsh", kLeft, "", "sourced by .zshrc"},
    {".zsh.zwc", kLeft, "", "functions of that directory, where fpath names it"},
    {".nvm/nvm.sh", kLeft, "", "sourced by .bashrc"},
    {".lessfilter", kLeft, "", "run by lesspipe"},
    {".local/lib", kDirectory, "", "modules that python3 loads when it starts"},
    {".ssh", kDirectory, "", "configuration that starts programs, keys that let others in"},
    {".envrc", kLeft, "", "read by direnv"},
    {".config/direnv", kLeft, "", "the same"},
    {".local/share/direnv", kLeft, "", "what direnv trusts"},
    {".cargo/env", kLeft, "", "read by .profile where rustup is"},
    {".tmux.conf", kLeft, "", "starts programs"},
    {".tmux", kLeft, "", "plug-ins of tmux"},
    {".config/tmux", kLeft, "", "the same"},
    {".screenrc", kLeft, "", "starts programs"},
    {".gdbinit", kLeft, "", "read by gdb"},
    {".config/gdb", kLeft, "", "the same"},
    {".lldbinit", kLeft, "", "read by lldb"},
    {".ripgreprc", kFile, "", "names a preprocessor"},
    {".npmrc", kLeft, "", "names shell and registry"},
    {".yarnrc.yml", kLeft, "", "names the program itself"},
    {".yarnrc", kLeft, "", "the same"},
    {".bunfig.toml", kLeft, "", "preloads scripts, names registries"},
    {".cargo/config.toml", kLeft, "", "names compiler, linker, runner"},
    {".cargo/config", kLeft, "", "the same"},
    {".config/go/env", kLeft, "", "names compilers, and what stands in for them"},
    {".gradle/init.gradle", kLeft, "", "run by every build"},
    {".gradle/init.gradle.kts", kLeft, "", "the same"},
    {".gradle/init.d", kLeft, "", "the same"},
    {".gradle/gradle.properties", kLeft, "", "options of the Java that builds"},
    {".mise.toml", kLeft, "", "read by mise: tasks, hooks"},
    {"mise.toml", kLeft, "", "the same"},
    {".config/mise", kLeft, "", "the same"},
    {".local/state/mise", kLeft, "", "what mise trusts"},
    {".mavenrc", kLeft, "", "sourced by mvn"},
    {".mvn", kLeft, "", "extensions, options of the Java that builds"},
    {".m2/settings.xml", kLeft, "", "names repositories and proxies"},
    {".m2/extensions.xml", kLeft, "", "run by every build"},
    {".docker/config.json", kLeft, "", "names helpers for credentials"},
    {".docker/cli-plugins", kLeft, "", "run by docker"},
    {".kube/config", kLeft, "", "names programs for credentials"},
    {".aws/config", kLeft, "", "the same"},
    {".aws/credentials", kLeft, "", "the same"},
    {".config/gh", kLeft, "", "aliases that run shells"},
    {".hgrc", kLeft, "", "names programs, for every repository of Mercurial"},
    {".config/hg", kLeft, "", "the same"},
    {".jjconfig.toml", kLeft, "", "the same for Jujutsu"},
    {".config/jj", kLeft, "", "the same"},
    {".tigrc", kLeft, "", "commands for keys of tig"},
    {".config/tig", kLeft, "", "the same"},
    {".lazygit.yml", kLeft, "", "pagers and commands of lazygit"},
    {".config/lazygit", kLeft, "", "the same"},
    {".selected_editor", kLeft, "", "sourced by sensible-editor"},
    {".mailcap", kLeft, "", "names programs by type of file"},
    {".psqlrc", kLeft, "", "read by psql, runs shells"},
    {".sqliterc", kLeft, "", "read by sqlite3, runs shells"},
    {".devscripts", kLeft, "", "sourced by devscripts"},
    {".quiltrc", kLeft, "", "sourced by quilt"},
    {".rvmrc", kLeft, "", "sourced by rvm"},
    {".tool-versions", kLeft, "", "directories of programs for asdf"},
    {"rust-toolchain.toml", kLeft, "", "the directory of the compiler"},
    {".config/starship.toml", kLeft, "", "commands of the prompt"},
    {".config/user-dirs.dirs", kLeft, "", "sourced by start scripts of desktops"},
    {".config/kitty", kLeft, "", "names shells and commands for keys"},
    {".config/alacritty", kLeft, "", "the same"},
    {".config/i3", kLeft, "", "commands at the start and for keys"},
    {".config/sway", kLeft, "", "the same"},
    {".config/hypr", kLeft, "", "the same"},
    {".local/share/applications", kLeft, "", "what the desktop starts"},
    {".terraformrc", kLeft, "", "directories of programs for terraform"},
    {".ansible.cfg", kLeft, "", "directories of plug-ins"},
    {"ansible.cfg", kLeft, "", "the same"},
    {".curlrc", kLeft, "", "files that curl writes"},
    {".wgetrc", kLeft, "", "programs and files of wget"},
    {".Rprofile", kLeft, "", "run by R"},
    {".Renviron", kLeft, "", "environment of R"},
    {".latexmkrc", kLeft, "", "run by latexmk"},
    {".pypirc", kLeft, "", "names registries"},
    {".config/pip", kLeft, "", "the same"},
    {".pip", kLeft, "", "the same"},
};

constexpr ProtectedRow kEditors[] = {
    {".vscode", kDirectory, "", "tasks, debuggers, paths of programs"},
    {".idea", kDirectory, "", "run configurations, external tools"},
    {".vs", kLeft, "", "tasks, debuggers of Visual Studio"},
    {"*.code-workspace", kLeft, "", "tasks, debuggers, paths of programs"},
    {"*.sublime-project", kLeft, "", "builds"},
    {".fleet", kDirectory, "", "run configurations"},
    {".zed", kDirectory, "", "tasks, language servers"},
    {".devcontainer", kDirectory, "", "commands for create and start"},
    {".devcontainer.json", kLeft, "", "the same"},
    {".helix", kLeft, "", "language servers"},
    {".config/helix", kLeft, "", "the same"},
    {".nvim", kDirectory, "", "read by project plug-ins"},
    {".nvim.lua", kLeft, "", "read by nvim with exrc"},
    {".nvimrc", kLeft, "", "the same"},
    {".lvimrc", kLeft, "", "read by project plug-ins"},
    {".exrc", kLeft, "", "read by vi with exrc"},
    {".vimrc", kLeft, "", "read by vim"},
    {".gvimrc", kLeft, "", "the same"},
    {".vim", kDirectory, "", "plug-ins"},
    {".dir-locals.el", kLeft, "", "read by emacs"},
    {".dir-locals-2.el", kLeft, "", "the same"},
    {".emacs", kLeft, "", "read by emacs"},
    {".emacs.el", kLeft, "", "read by emacs instead of .emacs"},
    {".emacs.elc", kLeft, "", "the same"},
    {".emacs.so", kLeft, "", "the same"},
    {".emacs.d", kLeft, "", "read by emacs when .emacs is missing"},
    {".config/emacs", kLeft, "", "the same"},
    {".config/nvim", kDirectory, "", "read by nvim"},
    {".local/share/nvim", kLeft, "", "plug-ins of nvim"},
    {".cache/nvim/luac", kLeft, "", "what nvim has compiled of them"},
    {".config/JetBrains", kLeft, "", "options of the Java, external tools"},
    {".local/share/JetBrains", kLeft, "", "plug-ins, programs of the Toolbox"},
    {".config/sublime-text", kLeft, "", "plug-ins, builds"},
    {".config/sublime-text-3", kLeft, "", "the same"},
    {".config/Code", kLeft, "", "settings of VS Code"},
    {".config/Cursor", kLeft, "", "settings of Cursor"},
    {".config/VSCodium", kLeft, "", "settings of VSCodium"},
    {".config/zed", kLeft, "", "settings of Zed"},
    {".vscode-server", kLeft, "", "programs and extensions of VS Code"},
};

constexpr ProtectedRow kAgents[] = {
    {".claude", kDirectory, "", "settings, hooks, commands, agents"},
    {".codex", kDirectory, "", "configuration, servers"},
    {".cursor", kDirectory, "", "rules, servers"},
    {".agents", kDirectory, "", "skills and instructions"},
    {".gemini", kDirectory, "", "settings, servers"},
    {".copilot", kDirectory, "", "settings, servers"},
    {".continue", kDirectory, "", "settings, servers"},
    {".windsurf", kDirectory, "", "rules, workflows"},
    {".clinerules", kLeft, "", "instructions; file or directory"},
    {".roo", kDirectory, "", "rules, servers"},
    {".opencode", kDirectory, "", "agents, commands"},
    {".config/opencode", kLeft, "", "settings, servers"},
    {"opencode.json", kLeft, "", "the same"},
    {"opencode.jsonc", kLeft, "", "the same"},
    {".kiro", kLeft, "", "hooks, servers"},
    {".qwen", kLeft, "", "settings, servers"},
    {".amp", kLeft, "", "settings, servers"},
    {".config/amp", kLeft, "", "the same"},
    {".junie", kLeft, "", "instructions, servers"},
    {".trae", kLeft, "", "rules, servers"},
    {".config/goose", kLeft, "", "extensions that are started"},
    {".goosehints", kLeft, "", "instructions"},
    {".aider.conf.yml", kLeft, "", "names commands to run"},
    {".claude.json", kLeft, "", "servers and what is trusted"},
    {".mcp.json", kLeft, "", "servers that are started"},
    {".cursorrules", kLeft, "", "instructions"},
    {".windsurfrules", kLeft, "", "instructions"},
    {"AGENTS.md", kLeft, "", "instructions"},
    {"AGENTS.override.md", kLeft, "", "instructions"},
    {"CLAUDE.md", kLeft, "", "instructions"},
    {"CLAUDE.local.md", kLeft, "", "instructions"},
    {"GEMINI.md", kLeft, "", "instructions"},
    {".github/copilot-instructions.md", kLeft, "", "instructions"},
    {".github/instructions", kLeft, "", "instructions"},
    {".github/prompts", kLeft, "", "instructions"},
    {".github/agents", kLeft, "", "instructions, servers"},
    {".github/hooks", kLeft, "", "commands that agents run"},
    {".github/workflows", kLeft, "", "commands that run elsewhere with the user's rights"},
    {".gitlab-ci.yml", kLeft, "", "the same"},
    {".circleci", kLeft, "", "the same"},
    {".travis.yml", kLeft, "", "the same"},
    {"Jenkinsfile", kLeft, "", "the same"},
    {"azure-pipelines.yml", kLeft, "", "the same"},
    {"bitbucket-pipelines.yml", kLeft, "", "the same"},
};

}  // namespace

std::span<const ProtectedRow> GitDirectoryRows() { return kGitDirectory; }
std::span<const ProtectedRow> LinkedWorkTreeRows() { return kLinkedWorkTree; }
std::span<const ProtectedRow> GitHomeRows() { return kGitHome; }
std::span<const ProtectedRow> GitConfigHomeRows() { return kGitConfigHome; }
std::span<const ProtectedRow> MercurialRows() { return kMercurial; }
std::span<const ProtectedRow> GpgHomeRows() { return kGpgHome; }
std::span<const ProtectedRow> ShellRows() { return kShell; }
std::span<const ProtectedRow> EditorRows() { return kEditors; }
std::span<const ProtectedRow> AgentRows() { return kAgents; }

std::string_view Name(Preset preset) {
  switch (preset) {
    case Preset::kGit:
      return "git";
    case Preset::kShell:
      return "shell";
    case Preset::kEditors:
      return "editors";
    case Preset::kAgents:
      return "agents";
  }
  return "git";
}

}  // namespace mxc
