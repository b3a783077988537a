"""Every option of every command with values that are missing or nonsense: one line, exit 2."""
import json
import os
import re

from case import TARE, case, done, run

GARBAGE = {
    ("snapshot", "--window"): ["", "x", "49ms", "-1s", "1d1", "2h", "1 s"],
    ("snapshot", "--interval"): ["", "x", "99ms", "-1s", "2h"],
    ("snapshot", "--count"): ["", "0", "-1", "x", "1.5", "99999999999999999999999"],
    ("snapshot", "--include"): ["", ",", "nonsense", "cpu,nonsense", "CPU", "x" * 5000],
    ("snapshot", "--sort"): ["", "nonsense", "cpu:up", "x" * 5000, "\x1b[31m"],
    ("snapshot", "--top"): ["", "-1", "x", "1.5"],
    ("snapshot", "--filter"): ["", "(", "nonsense > 1", "pid >", "command ~ \"(\"", "(" * 100],
    ("snapshot", "--scan"): ["", "x", "BPF", "procfs,bpf", "x" * 5000, "\x1b[31m"],
    ("snapshot", "--with"): ["", ",", "nonsense", "cpu", "pss,nonsense", "x" * 5000, "\x1b[31m"],
    ("doctor", "--scan"): ["", "x"],
    ("record", "--events"): [""],
    ("record", "--output"): [""],
    ("record", "--filter"): ["", "x", "sched_switch: pid > 0", "sched/sched_switch", "sched/sched_switch:", "/a/b: c", "../a: b",
                             "x" * 5000],
    ("record", "--pid"): ["", "0", "-1", "x", "1x", "99999999999999999999999"],
    ("record", "--cpus"): ["", "x", "1-", "-1", "3-1", "0,,1", "0,", "1024", "99999999999999999999", "0 1"],
    ("record", "--duration"): ["", "x", "0", "-1s", "1d1", "1 s", "\x1b[31m", "9" * 400],
    ("record", "--drain-period"): ["", "x", "0s"],
    ("record", "--buffer-size"): ["", "x", "0", "-1", "4MB", "1K", "99999999999999999999999", "4M4"],
    ("record", "--chunk"): ["", "x", "0", "5000", "2K", "2M", "64K64"],
    ("top", "--scan"): ["", "x"],
    ("top", "--interval"): ["", "x", "99ms", "2h"],
    ("top", "--charset"): ["", "x"],
    ("top", "--count"): ["", "x"],
}
COMMANDS = ["top", "snapshot", "record", "doctor", "tables"]


def refused(*words):
    r = run(TARE, *words)
    assert r.returncode == 2, (words, r.returncode, r.stderr)
    assert not r.stdout, (words, r.stdout[:80])
    assert r.stderr.count(b"\n") == 1 and r.stderr.endswith(b"\n"), (words, r.stderr)
    assert r.stderr.startswith(b"tare"), r.stderr
    assert all(byte >= 32 for byte in r.stderr[:-1]), (words, r.stderr)
    return r.stderr.decode()


def help_text(command):
    r = run(TARE, command, "--help")
    assert r.returncode == 0 and not r.stderr, (command, r.returncode, r.stderr)
    return r.stdout.decode()


def options_of(command):
    """Options in --help: name and whether it takes a value."""
    return re.findall(r"^  (?:-\w,|   ) --([a-z-]+)( [A-Z][^ ]*)?", help_text(command), re.M)


def garbage(command, option, values):
    def check():
        for value in values:
            for words in ([option, value], [f"{option}={value}"]):
                message = refused(command, *words)
                assert option in message, (words, message)
    return check


def missing(command):
    def check():
        found = options_of(command)
        assert found
        for name, value in found:
            if value:
                assert f"--{name}" in refused(command, f"--{name}")
            else:
                assert f"--{name}" in refused(command, f"--{name}=1")
    return check


def unknown(command):
    def check():
        assert "--nonsense" in refused(command, "--nonsense")
        refused(command, "-Z")
        refused(command, "word")
        refused(command, "--\x1b[31mred")
    return check


def commands():
    message = refused("nonsense")
    for name in COMMANDS:
        assert name in message
    refused("--nonsense")
    refused("")
    r = run(TARE, "help")
    assert r.returncode == 0
    for name in [*COMMANDS, "check"]:
        assert f"\n  {name} " in r.stdout.decode()
        assert run(TARE, "help", name).stdout.decode() == help_text(name)
    assert run(TARE, "--help").stdout == r.stdout
    assert re.fullmatch(rb"tare \d+\.\d+\.\d+\n", run(TARE, "--version").stdout)


def told():
    """The manual and both completions know every option."""
    top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    texts = {}
    for name in ("man/tare.1", "completions/_tare"):
        with open(os.path.join(top, name), encoding="utf-8") as f:
            texts[name] = f.read()
    for command in [*COMMANDS, "check"]:
        for name, _ in options_of(command):
            assert f"--{name}" in texts["completions/_tare"], name
            assert re.search(rf"Fl {name}\b", texts["man/tare.1"]), name


def on_request():
    for scan in ("procfs", "auto"):
        words = [TARE, "snapshot", "--window", "50ms", "--include", "process", "--json", "--scan", scan]
        own = {}
        for asked in ([], ["--with", "cwd,pss"]):
            rows = json.loads(run(*words, *asked).stdout)["tables"]["process"]["rows"]
            own[bool(asked)] = next(row for row in rows if row["own"])
        assert own[False]["cwd"] is None and own[False]["reasons"]["cwd"] == "not_asked", own[False]
        assert own[False]["pss_bytes"] is None
        assert own[True]["cwd"] == os.getcwd(), (scan, own[True]["cwd"])
        assert 0 < own[True]["pss_bytes"] <= own[True]["resident_bytes"] + (1 << 20), own[True]


def root():
    for command in ("snapshot", "doctor"):
        r = run(TARE, command, "--root", "/nonexistent")
        assert r.returncode == 1 and r.stderr.count(b"\n") == 1, (command, r)
        assert b"/nonexistent" in r.stderr


case("commands", commands)
for name in COMMANDS:
    case(f"{name}: unknown options and words", unknown(name))
    case(f"{name}: values missing or too many", missing(name))
for (name, option), values in GARBAGE.items():
    case(f"{name} {option}: nonsense", garbage(name, option, values))
case("the manual and completions know every option", told)
case("columns on request", on_request)
case("a root that is not there", root)
done()
