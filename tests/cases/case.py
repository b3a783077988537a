"""Cases against the real binary: made-up machines in temporary directories, TAP on standard output.

    from case import case, fixture, snapshot, done, TARE
    def fn():
        with fixture({"/proc/stat": "..."}, {"/proc/stat": "..."}) as root:
            frame = snapshot(TARE, root)
            assert rows(frame, "cpu")["cpu0"]["busy_percent"] == 50
    case("C01 a whole second busy", fn)
    done()
"""
import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
import traceback

TARE = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else "tare"
T0 = (100_000_000_000, 100_000_000_000, 1_700_000_000_000_000_000)
SECOND = 1_000_000_000
TIMEOUT = 30

_count = 0
_failed = 0


class Skip(Exception):
    """Raised by a case that cannot run here; the text says why."""


def case(name, fn):
    """Run one case and print its line."""
    global _count, _failed
    _count += 1
    try:
        fn()
        print(f"ok {_count} - {name}", flush=True)
    except Skip as why:
        print(f"ok {_count} - {name} # SKIP {why}", flush=True)
    except Exception:  # whatever it is, the case has failed and the next one runs
        _failed += 1
        for line in traceback.format_exc().rstrip().splitlines():
            print("# " + line)
        print(f"not ok {_count} - {name}", flush=True)


def done():
    """Print the plan and end."""
    print(f"1..{_count}")
    sys.exit(1 if _failed else 0)


def moment(seconds=0.0, boot=None):
    """Clock file of a moment so long after t0; boot: the same on CLOCK_BOOTTIME (a suspend)."""
    step = round(seconds * SECOND)
    boot_step = step if boot is None else round(boot * SECOND)
    return f"{T0[0] + step} {T0[1] + boot_step} {T0[2] + boot_step}\n"


def write_files(base, files):
    for path, value in files.items():
        full = os.path.join(base, path.lstrip("/"))
        os.makedirs(os.path.dirname(full), exist_ok=True)
        if isinstance(value, tuple):
            os.symlink(value[1], full)  # ("link", target)
        elif value is None:
            os.makedirs(full, exist_ok=True)
        else:
            with open(full, "wb") as f:
                f.write(value if isinstance(value, bytes) else value.encode())


class fixture:
    """A recorded machine: one dict {path: text | bytes | ("link", target) | None (a directory)} for each
    moment, one second apart; a key "clock" overrides that. A moment None is the one before again."""

    def __init__(self, *moments):
        self.dir = tempfile.mkdtemp(prefix="tare-case-")
        atexit.register(self.remove)
        files = {}
        for i, given in enumerate(moments):
            if given is not None:
                files = dict(given)
            base = os.path.join(self.dir, f"t{i}")
            os.makedirs(base)
            write_files(base, {**files, "clock": files.get("clock", moment(i))})
            files.pop("clock", None)

    def __enter__(self):
        return self.dir

    def __exit__(self, *what):
        self.remove()

    def __str__(self):
        return self.dir

    def __fspath__(self):
        return self.dir

    def remove(self):
        shutil.rmtree(self.dir, ignore_errors=True)


def _pairs(pairs):
    keys = [k for k, _ in pairs]
    twice = {k for k in keys if keys.count(k) > 1}
    assert not twice, f"keys twice in one object: {sorted(twice)}"
    return dict(pairs)


def _constant(text):
    raise AssertionError(f"{text} is not JSON")


def _nulls(value, path="$"):
    if isinstance(value, list):
        for i, item in enumerate(value):
            _nulls(item, f"{path}[{i}]")
    elif isinstance(value, dict):
        reasons = value.get("reasons", {})
        for key, item in value.items():
            if item is None:
                assert isinstance(reasons.get(key), str) and reasons[key], \
                    f"{path}.{key} is null without a reason"
            else:
                assert key not in reasons, f"{path}.{key} has a value and a reason"
                _nulls(item, f"{path}.{key}")
        for key in reasons:
            assert key in value, f"{path}: a reason for {key}, which is not there"


def read_strict(text):
    """One JSON value, no key twice, no NaN, every null with its reason."""
    if isinstance(text, bytes):
        text = text.decode("utf-8")  # strict
    value = json.loads(text, object_pairs_hook=_pairs, parse_constant=_constant)
    _nulls(value)
    return value


def run(*command, **kw):
    """Run to the end; text is bytes."""
    kw.setdefault("timeout", TIMEOUT)
    return subprocess.run([str(c) for c in command], stdin=subprocess.DEVNULL,
                          stdout=kw.pop("stdout", subprocess.PIPE),
                          stderr=kw.pop("stderr", subprocess.PIPE), **kw)


def snapshots(binary, root, *args):
    """Every frame of `tare snapshot --json --root DIR args`; root None: the live machine."""
    where = ["--root", str(root)] if root is not None else []
    r = run(binary, "snapshot", "--json", *where, *args)
    assert r.returncode == 0, f"exit {r.returncode}: {r.stderr.decode(errors='replace')}"
    assert not r.stderr, r.stderr
    return [read_strict(line) for line in r.stdout.splitlines()]


def snapshot(binary, root, *args):
    """The one frame of a snapshot."""
    frames = snapshots(binary, root, *args)
    assert len(frames) == 1, f"{len(frames)} frames"
    return frames[0]


def rows(frame, table, key="name"):
    """Rows of a table by their name (or another column)."""
    return {row.get(key): row for row in frame["tables"][table]["rows"]}


def row(frame, table):
    """The row of a table that has one."""
    found = frame["tables"][table]["rows"]
    assert len(found) == 1, f"{table}: {len(found)} rows"
    return found[0]


def near(value, wanted, tolerance=1e-6):
    assert value is not None, f"null, not {wanted}"
    assert abs(value - wanted) <= tolerance * max(1.0, abs(wanted)), f"{value}, not {wanted}"
