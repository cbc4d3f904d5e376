# A virtual environment, pytest, multiprocessing.
test -x /usr/bin/python3 || skip "python3 is not installed"
/usr/bin/python3 -c 'import ensurepip, pytest' 2>/dev/null || skip "python3-venv or python3-pytest is not installed"

prepare() {
  cat >"$project/test_project.py" <<'PY'
import multiprocessing, pathlib, sqlite3, subprocess, sys, tempfile, threading

def square(x):
    return x * x

def test_runs_in_the_environment():
    assert ".venv" in sys.prefix

def test_multiprocessing():
    with multiprocessing.Pool(2) as pool:
        assert pool.map(square, [1, 2, 3]) == [1, 4, 9]

def test_shared_memory_lock():
    lock = multiprocessing.Lock()
    with lock:
        assert not lock.acquire(block=False)

def test_temporary_files_and_sqlite():
    with tempfile.TemporaryDirectory() as directory:
        base = sqlite3.connect(pathlib.Path(directory) / "base")
        base.execute("create table t (x)")
        base.execute("insert into t values (7)")
        assert base.execute("select x from t").fetchone() == (7,)

def test_child():
    assert subprocess.run([sys.executable, "-c", "print(6*7)"], capture_output=True, check=True).stdout == b"42\n"

def test_threads():
    seen = []
    threads = [threading.Thread(target=seen.append, args=(i,)) for i in range(8)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    assert sorted(seen) == list(range(8))
PY
}

work='
/usr/bin/python3 -m venv --system-site-packages .venv
.venv/bin/pip --version
.venv/bin/python -m pytest -q test_project.py'

check() { test -x "$project/.venv/bin/python"; }
