#!/usr/bin/env python3
"""Compare what tare prints of each recorded machine with the golden files, byte for byte.

run.py TARE            TAP; a difference is shown as a diff
run.py --update TARE   write the golden files anew
"""
import difflib
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FIXTURES = os.path.join(HERE, "..", "fixtures")
GOLDEN = os.path.join(HERE, "snapshot")


def tables(fixture):
    """Tables that the machine was recorded for, in its file `tables`."""
    with open(os.path.join(FIXTURES, fixture, "tables"), encoding="utf-8") as f:
        return f.read().strip()


def outputs(binary, fixture):
    """File name in the golden directory and what belongs in it."""
    base = [binary, "snapshot", "--root", os.path.join(FIXTURES, fixture),
            "--include", tables(fixture)]
    for suffix, args in {"json": ["--json"], "txt": []}.items():
        done = subprocess.run(base + args, capture_output=True, timeout=60, check=False)
        text = done.stdout.decode()
        if suffix == "json":
            text = text.replace(',"', ',\n"')  # a line a key: a diff that can be read
        if done.returncode or done.stderr:
            text = f"exit {done.returncode}\n{done.stderr.decode()}"
        yield f"{fixture}.{suffix}", text


def main():
    update = "--update" in sys.argv
    binary = os.path.abspath(sys.argv[-1])
    count = failed = 0
    os.makedirs(GOLDEN, exist_ok=True)
    for fixture in sorted(os.listdir(FIXTURES)):
        if not os.path.exists(os.path.join(FIXTURES, fixture, "tables")):
            continue
        for name, text in outputs(binary, fixture):
            path = os.path.join(GOLDEN, name)
            if update:
                with open(path, "w", encoding="utf-8") as f:
                    f.write(text)
                continue
            wanted = ""
            if os.path.exists(path):
                with open(path, encoding="utf-8") as f:
                    wanted = f.read()
            count += 1
            if text == wanted:
                print(f"ok {count} - {name}")
                continue
            failed += 1
            for line in difflib.unified_diff(wanted.splitlines(), text.splitlines(), "golden",
                                             "now", lineterm=""):
                print("# " + line)
            print(f"not ok {count} - {name}")
    if not update:
        print(f"1..{count}")
    sys.exit(1 if failed else 0)


main()
