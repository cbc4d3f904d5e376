"""What is compiled into the program, as an SPDX document and as the texts of the licences.

  components.py sbom PROGRAM VERSION COMPILER TOOLS FILE NAME=VERSION...
  components.py licences OWN COMPILER TOOLS FILE

COMPILER built the program, TOOLS is build/tools, and the versions are those of the headers that CMake found."""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

# name: licence, origin, whose copyright file Debian installs with the headers
HEADERS = {
    "nlohmann-json": ("MIT", "https://github.com/nlohmann/json", "nlohmann-json3-dev"),
    "CLI11": ("BSD-3-Clause", "https://github.com/CLIUtils/CLI11", "libcli11-dev"),
    "fmt": ("MIT", "https://github.com/fmtlib/fmt", "libfmt-dev"),
    "spdlog": ("MIT", "https://github.com/gabime/spdlog", "libspdlog-dev"),
}
RUNTIME = {
    "musl": ("MIT", "https://musl.libc.org", "zig/lib/libc/musl/COPYRIGHT"),
    "libc++": ("Apache-2.0 WITH LLVM-exception", "https://libcxx.llvm.org", "zig/lib/libcxx/LICENSE.TXT"),
    "glibc": ("LGPL-2.1-or-later", "https://www.gnu.org/software/libc", "/usr/share/doc/libc6/copyright"),
    "libstdc++": ("GPL-3.0-or-later WITH GCC-exception-3.1", "https://gcc.gnu.org", "/usr/share/doc/libstdc++6/copyright"),
}


def runtime_versions(compiler, tools):
    """The C and the C++ library that the compiler links with, by its own macros."""
    text = subprocess.run([compiler, "-x", "c++", "-std=c++20", "-dM", "-E", "-"], input="#include <version>\n#include <limits.h>\n",
                          capture_output=True, text=True, check=True).stdout
    macros = dict(re.findall(r"^#define (\w+) (\S+)$", text, re.M))
    found = {}
    if "__GLIBC__" in macros:
        found["glibc"] = f"{macros['__GLIBC__']}.{macros['__GLIBC_MINOR__']}"
    else:
        found["musl"] = re.search(r'"(.*)"', (tools / "zig/lib/libc/musl/src/internal/version.h").read_text())[1]
    if "_LIBCPP_VERSION" in macros:
        number = int(macros["_LIBCPP_VERSION"])
        found["libc++"] = f"{number // 10000}.{number // 100 % 100}.{number % 100}"
    else:
        found["libstdc++"] = macros["__GNUC__"] + "." + macros["__GNUC_MINOR__"]
    return found


def licence_texts(own, compiler, tools):
    files = {"mxc-exec": own}
    files |= {name: tools / RUNTIME[name][2] for name in runtime_versions(compiler, tools)}
    files |= {name: pathlib.Path(f"/usr/share/doc/{package}/copyright") for name, (_, _, package) in HEADERS.items()}
    return "\n".join(f"==== {name}\n\n{file.read_text()}" for name, file in files.items())


def package(name, version, licence, origin, **more):
    identifier = "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name.replace("+", "p"))
    return {"SPDXID": identifier, "name": name, "versionInfo": version, "downloadLocation": origin or "NOASSERTION",
            "filesAnalyzed": False, "licenseConcluded": licence, "licenseDeclared": licence,
            "copyrightText": "NOASSERTION", **more}


def sbom(program, version, compiler, tools, headers):
    digest = hashlib.sha256(program.read_bytes()).hexdigest()
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))))
    ours = package("mxc-exec", version, "MIT", "", primaryPackagePurpose="APPLICATION",
                   checksums=[{"algorithm": "SHA256", "checksumValue": digest}])
    linked = [package(name, found, *RUNTIME[name][:2]) for name, found in runtime_versions(compiler, tools).items()]
    linked += [package(name, found, *HEADERS[name][:2]) for name, found in headers.items()]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", ours)] + [(ours["SPDXID"], "STATIC_LINK", each) for each in linked]
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"mxc-exec-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/mxc-exec-{version}-{digest}",
        "creationInfo": {"created": created, "creators": ["Tool: docs/package/components.py"]},
        "packages": [ours, *linked],
        "relationships": [{"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other["SPDXID"]}
                          for one, kind, other in relations],
    }


def main():
    kind, *arguments = sys.argv[1:]
    if kind == "licences":
        own, compiler, tools, file = arguments
        text = licence_texts(pathlib.Path(own), compiler, pathlib.Path(tools))
    else:
        program, version, compiler, tools, file, *headers = arguments
        versions = dict(header.split("=") for header in headers)
        text = json.dumps(sbom(pathlib.Path(program), version, compiler, pathlib.Path(tools), versions), indent=1) + "\n"
    pathlib.Path(file).parent.mkdir(parents=True, exist_ok=True)
    pathlib.Path(file).write_text(text)


main()
