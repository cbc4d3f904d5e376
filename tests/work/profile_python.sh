test -x /usr/bin/python3 || skip "python3 is not installed"
/usr/bin/python3 -c 'import ensurepip' 2>/dev/null || skip "python3-venv is not installed"
trust=PIP_CERT

# A wheel is an archive of the module and three records about it.
publish() {
  mkdir -p "$www/pypi.org/simple/library" "$www/files.pythonhosted.org"
  /usr/bin/python3 - "$www/files.pythonhosted.org/library-1.0.0-py3-none-any.whl" <<'PY'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as wheel:
    wheel.writestr("library.py", "def add(x):\n    return x + 1\n")
    about = "library-1.0.0.dist-info/"
    wheel.writestr(about + "METADATA", "Metadata-Version: 2.1\nName: library\nVersion: 1.0.0\n")
    wheel.writestr(about + "WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    wheel.writestr(about + "RECORD", "library.py,,\n" + "".join(about + name + ",,\n" for name in ("METADATA", "WHEEL", "RECORD")))
PY
  file=library-1.0.0-py3-none-any.whl
  sum=$(sha256sum "$www/files.pythonhosted.org/$file" | cut -d' ' -f1)
  echo "<a href=\"https://files.pythonhosted.org/$file#sha256=$sum\">$file</a>" >"$www/pypi.org/simple/library/index.html"
}

prepare() {
  echo library >"$project/requirements.txt"
  printf 'import library, unittest\n\nclass Test(unittest.TestCase):\n    def test(self):\n        self.assertEqual(library.add(1), 2)\n' >"$project/test_project.py"
}

fetch='/usr/bin/python3 -m venv .venv
.venv/bin/pip download -q -d wheels -r requirements.txt
.venv/bin/pip install -q -r requirements.txt
.venv/bin/python -m unittest -q'
again='.venv/bin/pip uninstall -q -y library
.venv/bin/pip install -q --no-index --find-links wheels -r requirements.txt
.venv/bin/python -m unittest -q'
