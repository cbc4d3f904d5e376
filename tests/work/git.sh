# git: clone, commit, branch, rebase, stash, worktree, fetch, gc.
require git

prepare() {
  git init --quiet --bare "$work_area/upstream.git"
  git init --quiet --initial-branch=main "$work_area/seed"
  (
    cd "$work_area/seed"
    echo one >file
    git add file
    git -c user.name=A -c user.email=a@example.com commit --quiet --message one
    git push --quiet "$work_area/upstream.git" main
  )
  git --git-dir="$work_area/upstream.git" symbolic-ref HEAD refs/heads/main
  readonly_paths="\"$work_area/upstream.git\""
}

work='
export GIT_AUTHOR_NAME=B GIT_AUTHOR_EMAIL=b@example.com GIT_COMMITTER_NAME=B GIT_COMMITTER_EMAIL=b@example.com
git clone --quiet ../upstream.git clone
cd clone
echo two >>file
git commit --quiet --all --message two
git switch --quiet --create topic HEAD~1
echo other >other
git add other
git commit --quiet --message other
git rebase --quiet main
echo three >>file
git stash --quiet
git stash pop --quiet
git checkout --quiet file
git worktree add --quiet ../tree main
(cd ../tree && echo four >>file && git commit --quiet --all --message four)
git fetch --quiet
git gc --quiet
git fsck --no-progress
git log --format=%s --all'

check() {
  test "$(as git -C "$project/clone" log --format=%s -1 main)" = four
  test "$(as git -C "$project/clone" log --format=%s -1 topic)" = other
}
