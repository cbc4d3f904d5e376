// Which commands destroy, with the document that says so: a manual page, or the command's reference.
#include "review/destructive_table.h"

namespace mxc {
namespace {

constexpr std::string_view kHistory = "discards commits or files that are nowhere else";
constexpr std::string_view kRemote = "rewrites or deletes what others have fetched";
constexpr std::string_view kDisk = "writes over a disk or its partitions";
constexpr std::string_view kPublishes = "publishes what cannot be taken back";
constexpr std::string_view kUnpublishes = "takes away what others depend on";
constexpr std::string_view kDatabase = "deletes a database or all of its contents";
constexpr std::string_view kRemoteResources = "deletes resources on other machines";
constexpr std::string_view kVolumes = "deletes volumes with their contents";

constexpr DestructiveRow kRows[] = {
    {"git", "push", "-f|--force|--force-with-lease|--mirror|--delete|-d|--prune", kRemote, "git-push(1)"},
    {"git", "send-pack", "-f|--force|--mirror", kRemote, "git-send-pack(1)"},
    {"git", "http-push", "--force|-d|-D", kRemote, "git-http-push(1)"},
    {"git", "reset", "--hard|--merge", kHistory, "git-reset(1)"},
    {"git", "read-tree", "--reset", kHistory, "git-read-tree(1)"},
    {"git", "clean", "-f|--force", kHistory, "git-clean(1)"},
    {"git", "clean clean.requireforce=*", "", kHistory, "git-clean(1)"},
    {"git", "branch", "-D|-M|-C|-f|--force", kHistory, "git-branch(1)"},
    {"git", "checkout", "-f|--force|-B", kHistory, "git-checkout(1)"},
    {"git", "switch", "-f|--force|--discard-changes|-C|--force-create", kHistory, "git-switch(1)"},
    {"git", "stash drop|clear", "", kHistory, "git-stash(1)"},
    {"git", "reflog expire|delete", "", kHistory, "git-reflog(1)"},
    {"git", "gc", "--prune", kHistory, "git-gc(1)"},
    {"git", "prune", "", kHistory, "git-prune(1)"},
    {"git", "filter-branch", "", kHistory, "git-filter-branch(1)"},
    {"git", "filter-repo", "", kHistory, "git-filter-repo(1)"},
    {"git", "update-ref", "", kHistory, "git-update-ref(1)"},
    {"git", "checkout-index", "-f|--force", kHistory, "git-checkout-index(1)"},
    {"git", "worktree add", "-B", kHistory, "git-worktree(1)"},
    {"git", "worktree remove", "-f|--force", kHistory, "git-worktree(1)"},
    {"git", "submodule deinit|update", "-f|--force", kHistory, "git-submodule(1)"},

    {"mkfs|mkfs.*|mke2fs|mkswap|wipefs|blkdiscard|badblocks", "", "", kDisk,
     "mkfs(8), wipefs(8), blkdiscard(8)"},
    {"fdisk|sfdisk|cfdisk|gdisk|sgdisk|parted", "", "", kDisk, "fdisk(8), parted(8)"},
    {"cryptsetup", "luksFormat", "", kDisk, "cryptsetup-luksFormat(8)"},
    {"cryptsetup", "erase", "", kDisk, "cryptsetup-erase(8)"},
    {"mdadm", "", "--zero-superblock|--create", kDisk, "mdadm(8)"},
    {"lvremove|vgremove|pvremove|lvreduce", "", "", kDisk, "lvm(8)"},
    {"zpool|zfs", "destroy", "", kDisk, "zpool-destroy(8), zfs-destroy(8)"},
    {"btrfs", "subvolume delete", "", kDisk, "btrfs-subvolume(8)"},
    {"nvme", "format", "", kDisk, "nvme-format(1)"},
    {"hdparm", "", "--security-erase|--trim-sector-ranges", kDisk, "hdparm(8)"},
    {"shred|wipe|srm", "", "", "writes over files", "shred(1)"},
    {"userdel|deluser", "", "-r|--remove|--remove-home|--remove-all-files", "deletes a user's files",
     "userdel(8)"},
    {"crontab", "", "-r", "deletes a table of jobs", "crontab(1)"},

    {"dropdb", "", "", kDatabase, "dropdb(1)"},
    {"mysqladmin|mariadb-admin", "drop", "", kDatabase, "mysqladmin(1)"},
    {"redis-cli|valkey-cli", "flushall", "", kDatabase, "the Redis command FLUSHALL"},
    {"redis-cli|valkey-cli", "flushdb", "", kDatabase, "the Redis command FLUSHDB"},
    {"rails|rake", "db:drop*|db:reset*|db:purge*|db:migrate:reset*|db:truncate_all", "", kDatabase,
     "the Rails command line guide"},
    {"prisma|npx|bunx", "migrate reset", "", kDatabase, "the Prisma CLI reference"},
    {"prisma|npx|bunx", "db push", "--force-reset", kDatabase, "the Prisma CLI reference"},
    {"manage.py|django-admin|python*", "flush", "", kDatabase, "django-admin, flush"},
    {"artisan|php*|sail", "migrate:fresh|migrate:refresh|migrate:reset|db:wipe", "", kDatabase,
     "the Laravel documentation, migrations"},
    {"console|php*", "doctrine:database:drop|doctrine:schema:drop", "", kDatabase,
     "the Doctrine bundle for Symfony"},
    {"mix", "ecto.drop|ecto.reset", "", kDatabase, "mix ecto.drop"},
    {"sequelize|sequelize-cli", "db:drop", "", kDatabase, "the Sequelize CLI"},
    {"dotnet|dotnet-ef", "database drop", "", kDatabase, "dotnet ef database drop"},
    {"supabase", "db reset", "", kDatabase, "supabase db reset"},
    {"alembic", "downgrade base", "", kDatabase, "the Alembic command reference"},

    {"npm|pnpm|yarn|bun", "publish", "", kPublishes, "npm-publish(1)"},
    {"npm|pnpm|yarn", "unpublish", "", kUnpublishes, "npm-unpublish(1)"},
    {"npm|pnpm|yarn", "deprecate", "", kUnpublishes, "npm-deprecate(1)"},
    {"cargo", "publish", "", kPublishes, "cargo-publish(1)"},
    {"cargo", "yank", "", kUnpublishes, "cargo-yank(1)"},
    {"twine|python*", "upload", "", kPublishes, "the Twine documentation"},
    {"poetry|uv|flit|hatch|pdm|maturin", "publish", "", kPublishes, "the Python Packaging User Guide"},
    {"gem", "push", "", kPublishes, "gem help push"},
    {"gem", "yank", "", kUnpublishes, "gem help yank"},
    {"mvn|mvnw", "deploy", "", kPublishes, "Maven, the deploy phase"},
    {"gradle|gradlew", "publish", "", kPublishes, "the Gradle Maven Publish plugin"},
    {"dotnet|nuget", "push", "", kPublishes, "dotnet nuget push"},
    {"dotnet", "nuget delete", "", kUnpublishes, "dotnet nuget delete"},
    {"docker|podman|buildah|skopeo", "push", "", kPublishes, "docker push"},
    {"docker|podman|nerdctl|docker-compose|podman-compose", "build|bake",
     "--push|-o=type=registry|--output=type=registry", kPublishes, "docker buildx build"},
    {"helm|oras", "push", "", kPublishes, "helm push"},
    {"goreleaser", "release", "", kPublishes, "goreleaser release"},
    {"gh", "release create", "", kPublishes, "gh release create"},
    {"gh", "release delete", "", kUnpublishes, "gh release delete"},
    {"gh", "repo delete", "", kRemoteResources, "gh repo delete"},
    {"glab", "repo delete", "", kRemoteResources, "glab repo delete"},
    {"vsce|ovsx", "publish", "", kPublishes, "vsce publish"},
    {"pod", "trunk push", "", kPublishes, "pod trunk push"},
    {"dart|flutter", "pub publish", "", kPublishes, "dart pub publish"},
    {"mix", "hex.publish", "", kPublishes, "mix hex.publish"},

    {"terraform|tofu|vagrant|cdk", "destroy", "", kRemoteResources, "terraform destroy"},
    {"terraform|tofu", "apply", "-destroy|--destroy|-auto-approve|--auto-approve", kRemoteResources,
     "terraform apply"},
    {"pulumi", "destroy|down", "", kRemoteResources, "pulumi destroy"},
    {"pulumi", "stack rm", "", kRemoteResources, "pulumi stack rm"},
    {"kubectl|oc", "delete", "", kRemoteResources, "kubectl delete"},
    {"kubectl|oc", "drain", "", kRemoteResources, "kubectl drain"},
    {"helm", "uninstall|un|delete|del", "", kRemoteResources, "helm uninstall"},
    {"aws", "s3 rb", "", kRemoteResources, "aws s3 rb"},
    {"aws", "s3 rm", "--recursive", kRemoteResources, "aws s3 rm"},
    {"aws", "s3 sync", "--delete", kRemoteResources, "aws s3 sync"},
    {"aws", "delete-*|terminate-*", "", kRemoteResources, "the AWS CLI reference"},
    {"gcloud|az|doctl|hcloud|flyctl|fly|linode-cli", "delete", "", kRemoteResources, "gcloud, az: delete"},
    {"fly|flyctl", "destroy", "", kRemoteResources, "fly apps destroy"},
    {"gcloud", "storage rm", "-r|-R|--recursive", kRemoteResources, "gcloud storage rm"},
    {"gsutil", "rm", "-r|-R", kRemoteResources, "gsutil rm"},
    {"gsutil", "rb", "", kRemoteResources, "gsutil rb"},
    {"rclone", "purge|delete", "", kRemoteResources, "rclone purge, rclone delete"},
    {"firebase", "firestore:delete|database:remove|functions:delete|hosting:disable", "", kRemoteResources,
     "the Firebase CLI reference"},
    {"curl", "", "-X=DELETE|--request=DELETE", kRemoteResources, "curl(1)"},
    {"wget", "", "--method=DELETE", kRemoteResources, "wget(1)"},
    {"http|https|xh|xhs", "delete", "", kRemoteResources, "http(1)"},
    {"gh", "api", "-X=DELETE|--method=DELETE", kRemoteResources, "gh api"},
    {"rabbitmqctl", "reset|force_reset|delete_vhost|delete_queue|purge_queue", "", kRemoteResources,
     "rabbitmqctl(8)"},
    {"etcdctl", "del", "--prefix|--from-key", kRemoteResources, "etcdctl del"},
    {"vault", "delete|destroy", "", kRemoteResources, "vault delete, vault kv destroy"},
    {"vault", "secrets disable", "", kRemoteResources, "vault secrets disable"},
    {"heroku", "apps:destroy", "", kRemoteResources, "heroku apps:destroy"},
    {"heroku", "pg:reset", "", kDatabase, "heroku pg:reset"},
    {"virsh", "undefine", "--remove-all-storage", kVolumes, "virsh(1)"},
    {"virsh", "vol-delete", "", kVolumes, "virsh(1)"},

    {"docker|podman", "volume rm", "", kVolumes, "docker volume rm"},
    {"docker|podman", "volume prune", "", kVolumes, "docker volume prune"},
    {"docker|podman", "system prune", "", kVolumes, "docker system prune"},
    {"docker|podman|docker-compose|podman-compose", "down", "-v|--volumes", kVolumes, "docker compose down"},
    {"rsync", "",
     "--delete|--delete-before|--delete-after|--delete-during|--delete-excluded|--remove-source-files",
     "deletes what the other side lacks", "rsync(1)"},
};

constexpr std::string_view kClients =
    "psql|mysql|mariadb|sqlite3|sqlcmd|duckdb|clickhouse-client|cockroach|cqlsh|bq|snowsql|mongosh|mongo";

constexpr DestructiveStatement kStatements[] = {
    {kClients, "drop database", "SQL"},      {kClients, "drop schema", "SQL"},
    {kClients, "drop table", "SQL"},         {kClients, "drop keyspace", "CQL"},
    {kClients, "drop owned", "PostgreSQL"},  {kClients, "truncate ", "SQL"},
    {kClients, "delete from", "SQL"},        {kClients, "dropdatabase(", "mongosh, db.dropDatabase()"},
    {kClients, ".drop(", "mongosh, drop()"}, {kClients, "deletemany({})", "mongosh, deleteMany()"},
};

// In dash "[[" is no word of its own: `[[ x & rm -rf .` runs rm.
constexpr WrapperRow kWrappers[] = {
    {"sudo|doas|pkexec|run0|nice|ionice|chrt|taskset|numactl|timeout|time|nohup|setsid|stdbuf|unbuffer|"
     "command|exec|builtin|busybox|toybox|chroot|unshare|nsenter|setpriv|prlimit|choom|strace|ltrace|perf|"
     "valgrind|mxc-exec|bwrap|firejail|systemd-run|fakeroot|eatmydata|faketime|torsocks|proxychains*|xvfb-"
     "run|"
     "dbus-run-session|start-stop-daemon|daemonize|dumb-init|tini|npm|pnpm|yarn|bun|bunx|npx|uv|uvx|"
     "poetry|pipenv|hatch|rye|conda|mise|direnv|bundle|cross-env|dotenv|setarch|linux32|linux64|x86_64|i386|"
     "coproc|[[|noglob|nocorrect|repeat|always|shx|systemd-inhibit|cpulimit|chronic|rlwrap|gosu|su-exec|ifne|"
     "asdf|doppler|op|docker|podman|"
     "nerdctl|kubectl|oc|docker-compose|podman-compose|incus|ld.so|ld-linux*"},
    {"env|su|runuser|flock|heroku|vagrant|fly|flyctl|gcloud|script|ssh|watch|entr|tmux|screen|hyperfine|"
     "concurrently|nix|nix-shell|expect|trap|mapfile|readarray|compgen|complete|bind|fc",
     WrapperTakes::kWordsOrLines},
    {"xargs|parallel|find|fd|fdfind", WrapperTakes::kWordsAndNames},
    {"sh|bash|dash|zsh|ksh|mksh|ash|rbash|fish|mxc-sh|exe|pwsh|powershell", WrapperTakes::kScript},
};

constexpr SettingsRow kSettings[] = {
    {"ssh-agent|dircolors|lesspipe|tset|resize", ""},
    {"brew", "shellenv"},
    {"direnv", "hook|export"},
    {"mise", "activate|env|hook-env"},
    {"pyenv|rbenv|nodenv|goenv|jenv|starship|zoxide|atuin", "init"},
    {"go|opam|fnm|docker-machine", "env"},
    {"conda|mamba", "shell.*"},
    {"minikube", "docker-env"},
    {"kubectl|oc|helm|minikube|kind|gh|glab|docker|npm|pip|rustup|poetry|uv|just|deno|mxc-exec",
     "completion|completions|generate-shell-completion"},
};

}  // namespace

std::span<const SettingsRow> SettingsRows() { return kSettings; }

std::span<const WrapperRow> WrapperRows() { return kWrappers; }

std::span<const DestructiveRow> DestructiveRows() { return kRows; }

std::span<const DestructiveStatement> DestructiveStatements() { return kStatements; }

}  // namespace mxc
