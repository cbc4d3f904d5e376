#!/usr/bin/python3
"""Runs the reference's own configurations, and compares with what reference_files.jsonl says of each.

  reference_files.py MXC_EXEC CONFIGURATIONS

CONFIGURATIONS: lines {"name": ..., "config": ...}. The files are the reference's, so they are not kept here. What its
scripts fill in stands as {{NAME}} in some of them.
"""
import json
import os
import subprocess
import sys

FILLED = {"{{PROXY_HOST}}": "10.0.0.1", "{{PROXY_PORT}}": "3128"}
IDS = {"wslc": "wslc:0123456789abcdef0123456789abcdef", "": "iso:eyJ2ZXJzaW9uIjoxfQ"}


def answer(program, row, config):
    text = json.dumps(config)
    filled = {**FILLED, "{{SANDBOX_ID}}": IDS["wslc" if "wslc" in row["file"] else ""]}
    for name, value in filled.items():
        text = text.replace(name, value)
    flags = ["--experimental", "--allow-testing-features",
             "--explain=json" if row["asks"] == "explain" else "--dry-run"]
    if "containment" in row:
        flags += ["--containment", row["containment"]]
    run = subprocess.run([program, *flags, "-"], input=text, capture_output=True, text=True, check=False)
    if run.returncode == 0:
        return None
    for line in (run.stderr + "\n" + run.stdout).splitlines():
        if line.startswith('{"error"'):
            error = json.loads(line)["error"]
            return error["code"], error.get("pointer", "")
    return "no error", run.stderr


def main(program, configurations):
    with open(os.path.dirname(os.path.abspath(__file__)) + "/reference_files.jsonl", encoding="utf-8") as file:
        rows = {row["file"]: row for row in map(json.loads, file)}
    with open(configurations, encoding="utf-8") as file:
        configs = {line["name"]: line["config"] for line in map(json.loads, file)}
    wrong = 0
    for name in sorted(rows.keys() | configs.keys()):
        if name not in rows or name not in configs:
            print(name, "is only in one of the lists")
            wrong += 1
            continue
        row = rows[name]
        expected = (row["code"], row["pointer"]) if "code" in row else None
        got = answer(program, row, configs[name])
        if got != expected:
            print(name, "is answered with", got, "and not", expected)
            wrong += 1
    print(len(rows), "files,", wrong, "answered otherwise")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
