// Which commands destroy.
#include <gtest/gtest.h>

#include <string>

#include "review/destructive_table.h"
#include "tests/unit/destructive_text.h"

namespace mxc::destructive_test {
namespace {

TEST(Destructive, DeletesOfRootsAndNoOthers) {
  for (const std::string line : {"rm -rf /work/app", "rm -r ..", "rm -rf ../*", "rm -fr -- /work/app/.",
                                 "rm -rf /", "rm -rf /*", "rm -R ~", "rm -rf \"$HOME\"", "rm -rf ${HOME}/*",
                                 "rm -rf \"$UNSET/\"*", "rm --recursive /work", "rm -rf $PWD/.."})
    EXPECT_EQ(FoundIn(line), "rm(1)") << line;
  for (const std::string line : {"find .. -delete", "find /work/app -type f -exec rm {} +"})
    EXPECT_EQ(FoundIn(line), "find(1)") << line;
  EXPECT_EQ(FoundIn("chmod -R 777 /work"), "chmod(1)");
  EXPECT_EQ(FoundIn("npx rimraf .."), "rimraf(1)");
  EXPECT_EQ(FoundIn("npx shx rm -rf '../*'"), "rm(1)");
  EXPECT_EQ(FoundIn("tar --remove-files -cf /tmp/x.tar .."), "tar(1)");
  EXPECT_EQ(FoundIn("zip -rm /tmp/x.zip .."), "zip(1)");
  for (const std::string line :
       {"rm -rf build", "rm -rf ./*", "rm file", "rm ../file", "rm -rf \"$OUT/x\"", "OUT=build; rm -rf $OUT",
        "rm -rf node_modules && npm ci", "find . -name '*.o' -delete", "chmod -R u+w build",
        "echo 'rm -rf /'", "grep -r 'rm -rf /' src"})
    EXPECT_EQ(FoundIn(line), "-") << line;
}

TEST(Destructive, DisksDatabasesAndPublishing) {
  for (const auto& [line, source] : std::initializer_list<std::pair<std::string, std::string>>{
           {"dd if=x of=/dev/sda bs=1M", "dd(1)"},
           {"cat x > /dev/nvme0n1", "sh(1)"},
           {"cat x | tee /dev/sda", "tee(1)"},
           {"mkfs.ext4 /dev/sdb1", "mkfs(8), wipefs(8), blkdiscard(8)"},
           {"psql -c 'DROP  DATABASE x'", "SQL"},
           {"psql -c 'DROP/**/TABLE x'", "SQL"},
           {"psql -c 'drop /* a */ /* b */ table x'", "SQL"},
           {"echo 'drop table t' | mysql db", "SQL"},
           {"ls src/*; psql -c 'drop table x'", "SQL"},
           {"cat a/* | psql -c 'drop table x'", "SQL"},
           {"dropdb x", "dropdb(1)"},
           {"docker exec db dropdb x", "dropdb(1)"},
           {"docker compose exec -T db sh -c 'dropdb x'", "dropdb(1)"},
           {"rails db:drop:all", "the Rails command line guide"},
           {"php artisan migrate:fresh --seed", "the Laravel documentation, migrations"},
           {"mix ecto.drop", "mix ecto.drop"},
           {"docker buildx build --push -t x .", "docker buildx build"},
           {"redis-cli FLUSHALL", "the Redis command FLUSHALL"},
           {"npm publish --access public", "npm-publish(1)"},
           {"cargo publish", "cargo-publish(1)"},
           {"python3 -m twine upload dist/*", "the Twine documentation"},
           {"docker push registry/x", "docker push"},
           {"terraform destroy -auto-approve", "terraform destroy"},
           {"kubectl -n x delete pod y", "kubectl delete"},
           {"aws ec2 terminate-instances --instance-ids i", "the AWS CLI reference"},
           {"git reset --hard HEAD~1", "git-reset(1)"},
           {"git clean -fdx", "git-clean(1)"},
           {"git branch -D x", "git-branch(1)"},
       })
    EXPECT_EQ(FoundIn(line), source) << line;
  for (const std::string line : {"git push",
                                 "git push origin main",
                                 "git clean -n",
                                 "git branch -d x",
                                 "git reset HEAD x",
                                 "npm install",
                                 "npm pack",
                                 "npm test",
                                 "cargo build",
                                 "make -j4",
                                 "dd if=/dev/zero of=file",
                                 "echo x > /dev/null",
                                 "cat x 2>/dev/null",
                                 "psql -c 'select 1'",
                                 "docker build .",
                                 "kubectl get pods",
                                 "terraform plan",
                                 "python3 setup.py build",
                                 "cmake --build build",
                                 "ls -la",
                                 "git commit -m 'git push --force'",
                                 "git checkout -b x"})
    EXPECT_EQ(FoundIn(line), "-") << line;
}

TEST(Destructive, ResourcesOnOtherMachines) {
  for (const auto& [line, source] : std::initializer_list<std::pair<std::string, std::string>>{
           {"curl -X DELETE https://x/y", "curl(1)"},
           {"curl -sXDELETE https://x/y", "curl(1)"},
           {"curl -fsSX delete https://x/y", "curl(1)"},
           {"curl https://x/y --request DELETE", "curl(1)"},
           {"curl --req DELETE https://x/y", "curl(1)"},
           {"wget -q --method=DELETE https://x/y", "wget(1)"},
           {"wget --method DELETE https://x/y", "wget(1)"},
           {"http --check-status DELETE https://x/y", "http(1)"},
           {"gh api -X DELETE repos/a/b", "gh api"},
           {"gh api --method=DELETE repos/a/b", "gh api"},
           {"gh repo delete a/b --yes", "gh repo delete"},
           {"gh release delete v1", "gh release delete"},
           {"gsutil rb gs://b", "gsutil rb"},
           {"gsutil -m rm -r gs://b", "gsutil rm"},
           {"gcloud storage rm --recursive gs://b", "gcloud storage rm"},
           {"rclone purge r:b", "rclone purge, rclone delete"},
           {"az group delete -n g", "gcloud, az: delete"},
           {"heroku apps:destroy -a x", "heroku apps:destroy"},
           {"firebase firestore:delete --all-collections", "the Firebase CLI reference"},
           {"pulumi down -y", "pulumi destroy"},
           {"pulumi destroy", "pulumi destroy"},
           {"pulumi stack rm dev", "pulumi stack rm"},
           {"helm -n x uninstall y", "helm uninstall"},
           {"helm del y", "helm uninstall"},
           {"rabbitmqctl -n x force_reset", "rabbitmqctl(8)"},
           {"etcdctl del --prefix /", "etcdctl del"},
           {"vault kv destroy -versions=1 secret/x", "vault delete, vault kv destroy"},
           {"vault kv metadata delete secret/x", "vault delete, vault kv destroy"},
           {"vault secrets disable kv", "vault secrets disable"},
           {"redis-cli -h x flushdb", "the Redis command FLUSHDB"},
           {"mongosh --eval 'db.dropDatabase()'", "mongosh, db.dropDatabase()"},
           {"cargo yank x", "cargo-yank(1)"},
           {"gem push x.gem", "gem help push"},
           {"docker volume prune -f", "docker volume prune"},
           {"docker system prune -a", "docker system prune"}})
    EXPECT_EQ(FoundIn(line), source) << line;
  for (const std::string line :
       {"curl -X POST -d DELETE https://x", "curl -sSfL https://x -o DELETE", "curl https://x/DELETE",
        "wget --method=POST https://x", "gh api repos/a/b", "gh pr list", "gsutil cp a gs://b", "pulumi up",
        "pulumi preview", "helm list", "rabbitmqctl status", "etcdctl get --prefix /", "etcdctl del a",
        "vault kv get secret/x", "vault kv undelete -versions=1 secret/x", "firebase deploy",
        "docker volume ls", "systemctl --user restart x", "rclone copy a r:b"})
    EXPECT_EQ(FoundIn(line), "-") << line;
}

// How git and getopt_long(3) take long options.
TEST(Destructive, AbbreviatedOptionsAreTheOptions) {
  for (const auto& [line, source] : std::initializer_list<std::pair<std::string, std::string>>{
           {"git reset --har", "git-reset(1)"},
           {"git push --forc", "git-push(1)"},
           {"git push --mir", "git-push(1)"},
           {"git clean --forc", "git-clean(1)"},
           {"git gc --pru=now", "git-gc(1)"},
           {"rm --rec ..", "rm(1)"},
           {"chmod --rec 0 ..", "chmod(1)"},
           {"rsync --del a b", "rsync(1)"},
           {"git branch --forc main x", "git-branch(1)"}})
    EXPECT_EQ(FoundIn(line), source) << line;
  for (const std::string line : {"git reset --soft HEAD~1", "git reset -- hard", "git branch --format=x",
                                 "git push --follow-tags", "git push --progress", "rm --force x"})
    EXPECT_EQ(FoundIn(line), "-") << line;
}

TEST(Destructive, CommandsThatGitRuns) {
  for (const std::string line :
       {"git rebase -x 'rm -rf *' --root", "git rebase --root --exec='rm -rf *'",
        "git submodule foreach 'rm -rf /work'", "git submodule foreach --recursive rm -rf .",
        "git bisect run rm -rf .", "git -C . bisect run sh -c 'rm -rf .'"})
    EXPECT_EQ(FoundAtRoot(line), "rm(1)") << line;
  for (const std::string line : {"git rebase -x 'make check' main", "git cherry-pick -x abc",
                                 "git submodule foreach git pull", "git bisect run make"})
    EXPECT_EQ(FoundAtRoot(line), "-") << line;
}

TEST(Destructive, GitAsItIsCalled) {
  for (const std::string line :
       {"git -c alias.p='push --force' p", "git -c alias.p='!git push --force' p",
        "/usr/lib/git-core/git-push -f", "git -C x -c y=z --no-pager push -f",
        "git --git-dir x --work-tree y push -f", "git --exec-path=/x push -f",
        "git -c remote.o.push=+refs/*:refs/* push", "git -c remote.o.mirror=true push"})
    EXPECT_EQ(FoundIn(line), "git-push(1)") << line;
  for (const auto& [line, source] : std::initializer_list<std::pair<std::string, std::string>>{
           {"git checkout .", "git-checkout(1)"},
           {"git checkout -- ./", "git-checkout(1)"},
           {"git checkout HEAD -- :/", "git-checkout(1)"},
           {"git restore '*'", "git-restore(1)"},
           {"git restore --staged --worktree .", "git-restore(1)"},
           {"git rm -rf .", "git-rm(1)"},
           {"git switch --discard main", "git-switch(1)"},
           {"git switch -f main", "git-switch(1)"},
           {"git read-tree --reset -u HEAD", "git-read-tree(1)"},
           {"git reset --merge", "git-reset(1)"},
           {"git prune", "git-prune(1)"},
           {"git branch --delete --force x", "git-branch(1)"},
           {"git branch -M x", "git-branch(1)"},
           {"git submodule deinit -f .", "git-submodule(1)"},
           {"git -c clean.requireForce=false clean", "git-clean(1)"},
           {"git -c clean.requireForce=0 clean -dx", "git-clean(1)"},
           {"git -c clean.requireForce= clean -dx", "git-clean(1)"},
           {"git --config-env=clean.requireForce=X clean -dx", "git-clean(1)"},
           {"git checkout -B x old", "git-checkout(1)"},
           {"git switch -qC x old", "git-switch(1)"},
           {"git worktree add -B x ../y", "git-worktree(1)"},
           {"git update-ref refs/heads/x old", "git-update-ref(1)"},
           {"git fetch . +old:x", "git-fetch(1)"},
           {"git fetch --force . old:x", "git-fetch(1)"},
           {"git pull origin +a:b", "git-fetch(1)"},
           {"git -c remote.o.fetch=+refs/*:refs/heads/* fetch o", "git-fetch(1)"},
           {"git checkout -- ':(top)'", "git-checkout(1)"},
           {"git checkout -- ':(top,glob)**/*'", "git-checkout(1)"},
           {"git restore ':/*'", "git-restore(1)"},
           {"git restore ':!x'", "git-restore(1)"},
           {"git restore --pathspec-from-file=x", "git-restore(1)"},
           {"git send-pack --force x", "git-send-pack(1)"}})
    EXPECT_EQ(FoundIn(line), source) << line;
}

// What people and agents type all day, where the root of the grant is.
TEST(Destructive, OrdinaryCommandsPass) {
  for (const std::string line : {"git restore --staged .",
                                 "git rm -r --cached .",
                                 "git remote prune origin",
                                 "git fetch --prune origin",
                                 "git worktree prune",
                                 "git checkout main",
                                 "git checkout -- ':(top)README'",
                                 "git restore ':/src/*.c'",
                                 "git fetch origin +refs/heads/*:refs/remotes/origin/*",
                                 "git fetch --force --tags ssh://h:22/x",
                                 "git fetch origin main:main",
                                 "git checkout \"$BRANCH\"",
                                 "git checkout -- a.cc",
                                 "git commit -m 'push -f'",
                                 "git log --grep 'reset --hard'",
                                 "git push origin \"$(git branch --show-current)\"",
                                 "git push -u origin HEAD",
                                 "git rebase main",
                                 "git commit --amend --no-edit",
                                 "git stash pop",
                                 "git tag -d x",
                                 "git branch --merged | grep -v main | xargs git branch -d",
                                 "git add -A && git commit -m x && git push",
                                 "find . -name '*.pyc' -delete",
                                 "find . -type d -name node_modules -prune -exec rm -rf {} +",
                                 "find . -name '*.o' -exec rm {} \\;",
                                 "find . -type f | wc -l",
                                 "grep -rn 'rm -rf' .",
                                 "rm -rf build dist *.egg-info",
                                 "rm -f *.o",
                                 "rm -rf ./build/*",
                                 "npm ci && npm run build && npm test",
                                 "npm run build -- --force",
                                 "make -j$(nproc) 2>&1 | tee build.log",
                                 "docker compose down",
                                 "docker build -t x . && docker run --rm x",
                                 "python3 -m pytest -x",
                                 "chmod +x scripts/*.sh",
                                 "chmod -R u+w build",
                                 "tar xzf x.tgz -C build",
                                 "curl -fsSL https://x | sh",
                                 "bash scripts/build.sh --force",
                                 "timeout 60 bash -c 'while ! nc -z h 1; do sleep 1; done'",
                                 "xargs -n1 echo <list",
                                 "sed -i 's/a/b/' *.c",
                                 "mv a b",
                                 "cp -r a b",
                                 "cat a.sql | psql db",
                                 "dd if=/dev/zero of=x",
                                 "for f in *.c; do gcc -c \"$f\"; done",
                                 "if [ -d build ]; then rm -rf build; fi",
                                 "test -d x || mkdir x",
                                 "export PATH=$PWD/bin:$PATH; make",
                                 "echo \"$(date)\" >> log",
                                 "cat <<EOF > a.c\nint main() {}\nEOF\ngcc a.c",
                                 "awk '{print $1}' x | sort -u",
                                 "env FOO=1 make check",
                                 "kubectl get pods",
                                 "terraform plan",
                                 "cargo build"})
    EXPECT_EQ(FoundAtRoot(line), "-") << line;
}

TEST(Destructive, EveryRowHasASource) {
  for (const DestructiveRow& row : DestructiveRows()) {
    EXPECT_FALSE(row.what.empty());
    EXPECT_FALSE(row.source.empty()) << row.programs;
  }
}

}  // namespace
}  // namespace mxc::destructive_test
