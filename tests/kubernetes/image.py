#!/usr/bin/python3
"""Writes an image of busybox, mxc-exec and this machine's wget as an OCI archive, which containerd takes without a registry.

  image.py ARCHIVE NAME BUSYBOX MXC_EXEC
"""
import gzip
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile

APPLETS = ["cat", "chmod", "date", "echo", "env", "grep", "head", "id", "ls", "mkdir", "ps", "rm", "seq", "sh", "sleep", "touch", "tr",
           "true", "wc"]
WGET = "/usr/bin/wget"  # that of a static busybox resolves no names


def add(archive, name, data=b"", mode=0o644, kind=tarfile.REGTYPE, target=""):
    one = tarfile.TarInfo(name)
    one.size, one.mode, one.type, one.linkname = len(data), mode, kind, target
    archive.addfile(one, io.BytesIO(data))


def layer(busybox, program):
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w") as archive:
        libraries = re.findall(r"(/\S+) \(", subprocess.run(["ldd", WGET], capture_output=True, text=True, check=True).stdout)
        places = sorted({os.path.dirname(path)[1:] for path in libraries} | {"lib"})
        for name in ("bin", "etc", "tmp", "work", "proc", "sys", "dev", "usr", "usr/bin", "usr/local", "usr/local/bin", *places):
            add(archive, name, mode=0o1777 if name == "tmp" else 0o755, kind=tarfile.DIRTYPE)
        add(archive, "bin/busybox", busybox, 0o755)
        for name in APPLETS:
            add(archive, "bin/" + name, mode=0o777, kind=tarfile.SYMTYPE, target="busybox")
        add(archive, "usr/bin/env", mode=0o777, kind=tarfile.SYMTYPE, target="/bin/busybox")
        add(archive, "usr/local/bin/mxc-exec", program, 0o755)
        for path in (WGET, *libraries):
            with open(path, "rb") as file:
                add(archive, path[1:], file.read(), 0o755)
        add(archive, "etc/passwd", b"root:x:0:0::/:/bin/sh\nagent:x:1000:1000::/:/bin/sh\n")
    return plain.getvalue()


def main():
    name, contents = sys.argv[2], []
    for path in sys.argv[3:5]:
        with open(path, "rb") as file:
            contents.append(file.read())
    plain = layer(*contents)
    blobs = []

    def blob(data, kind):
        digest = hashlib.sha256(data).hexdigest()
        blobs.append((digest, data))
        return {"mediaType": "application/vnd.oci.image." + kind, "digest": "sha256:" + digest, "size": len(data)}

    config = {"architecture": "amd64", "os": "linux", "config": {"Env": ["PATH=/usr/local/bin:/usr/bin:/bin"], "Cmd": ["sleep", "infinity"]},
              "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(plain).hexdigest()]}}
    manifest = {"schemaVersion": 2, "config": blob(json.dumps(config).encode(), "config.v1+json"),
                "layers": [blob(gzip.compress(plain, 1), "layer.v1.tar+gzip")]}
    top = blob(json.dumps(manifest).encode(), "manifest.v1+json")
    top["annotations"] = {"io.containerd.image.name": name}
    with tarfile.open(sys.argv[1], "w") as archive:
        add(archive, "oci-layout", b'{"imageLayoutVersion":"1.0.0"}')
        add(archive, "index.json", json.dumps({"schemaVersion": 2, "manifests": [top]}).encode())
        for digest, data in blobs:
            add(archive, "blobs/sha256/" + digest, data)


if __name__ == "__main__":
    main()
