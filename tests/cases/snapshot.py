"""tare snapshot as a whole: the live machine, streams, readers that go away, locales."""
import os
import signal
import subprocess
import time

from case import TARE, Skip, case, done, fixture, moment, near, read_strict, row, run, snapshot, snapshots

STAT = """cpu  {0} 0 0 {1} 0 0 0 0 0 0
cpu0 {0} 0 0 {1} 0 0 0 0 0 0
intr 100 0
ctxt {2}
btime 1699999900
processes 10
procs_running 1
procs_blocked 0
softirq 5 0
"""


def machine(busy, idle, switches, **more):
    return {"/proc/stat": STAT.format(busy, idle, switches), "/proc/uptime": "100.00 100.00\n",
            "/proc/loadavg": "0.10 0.20 0.30 1/100 1000\n",
            "/sys/devices/system/cpu/online": "0\n", "/sys/devices/system/cpu/present": "0\n",
            "/proc/sys/kernel/hostname": "made-up\n", **more}


def live():
    before = time.time()
    frame = snapshot(TARE, None, "--window", "200ms")
    assert frame["schema_version"] == 1
    assert frame["time"].endswith("Z")
    assert before - 2 < time.mktime(time.strptime(frame["time"][:19], "%Y-%m-%dT%H:%M:%S")) \
        - time.timezone < time.time() + 2
    assert 0.2 <= frame["window_seconds"] < 2, frame["window_seconds"]
    assert frame["interval_seconds"] == 0.2
    cpu = frame["tables"]["cpu"]
    assert cpu["fresh"] is True
    assert len(cpu["rows"]) >= os.cpu_count()
    assert 0 <= cpu["total"]["busy_percent"] <= 100
    near(cpu["window"]["to_seconds"] - cpu["window"]["from_seconds"], cpu["window"]["seconds"], 1e-3)


def window_is_kept():
    start = time.monotonic()
    frame = snapshot(TARE, None, "--window", "500ms", "--include", "cpu")
    assert list(frame["tables"]) == ["cpu"]
    assert 0.5 <= frame["window_seconds"] < 0.7, frame["window_seconds"]
    assert time.monotonic() - start < 3


def recorded():
    with fixture(machine(100, 100, 1000), machine(175, 125, 3000)) as root:
        frame = snapshot(TARE, root)
        assert frame["window_seconds"] == 1
        assert frame["time"] == "2023-11-14T22:13:21.000Z"
        near(frame["tables"]["cpu"]["total"]["busy_percent"], 75)
        near(row(frame, "system")["context_switches_per_second"], 2000)


def window_of_the_clock():
    with fixture(machine(100, 100, 1000),
                 machine(175, 125, 3000, clock=moment(4))) as root:
        frame = snapshot(TARE, root)
        assert frame["window_seconds"] == 4
        near(row(frame, "system")["context_switches_per_second"], 500)


def one_moment():
    with fixture(machine(100, 100, 1000)) as root:
        frame = snapshot(TARE, root)
        assert frame["window_seconds"] is None
        assert frame["reasons"]["window_seconds"] == "first"
        system = row(frame, "system")
        assert system["context_switches_per_second"] is None
        assert system["reasons"]["context_switches_per_second"] == "first"
        near(system["load1"], 0.1)


def more_moments():
    with fixture(machine(0, 0, 0), machine(50, 50, 100), machine(50, 150, 300)) as root:
        first, second = snapshots(TARE, root, "--count", "2")
        near(first["tables"]["cpu"]["total"]["busy_percent"], 50)
        near(second["tables"]["cpu"]["total"]["busy_percent"], 0)
        near(row(second, "system")["context_switches_per_second"], 200)


def same_bytes():
    with fixture(machine(100, 100, 1000), machine(175, 125, 3000)) as root:
        texts = set()
        for locale in ("C", "C.UTF-8", "de_DE.UTF-8", "xx_XX"):
            r = run(TARE, "snapshot", "--json", "--root", root, "--include", "cpu,system",
                    env={**os.environ, "LC_ALL": locale})
            assert r.returncode == 0, r.stderr
            read_strict(r.stdout)
            texts.add(r.stdout)
        assert len(texts) == 1


def stream_count():
    frames = snapshots(TARE, None, "--window", "100ms", "--interval", "100ms", "--count", "3",
                       "--include", "cpu")
    assert len(frames) == 3
    assert all(f["window_seconds"] >= 0.09 for f in frames)


def stream_until_interrupted():
    p = subprocess.Popen([TARE, "snapshot", "--json", "--window", "100ms", "--interval", "100ms",
                          "--include", "cpu"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    lines = [p.stdout.readline() for _ in range(3)]
    p.send_signal(signal.SIGINT)
    rest, err = p.communicate(timeout=10)
    assert p.returncode == 0 and not err, (p.returncode, err)
    for line in lines + rest.splitlines():
        read_strict(line)


def reader_goes_away():
    for extra in (["--json"], []):
        p = subprocess.Popen([TARE, "snapshot", "--window", "100ms", "--interval", "100ms", *extra],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        p.stdout.readline()
        p.stdout.close()
        err = p.stderr.read()
        assert p.wait(timeout=10) == 0 and not err, (p.returncode, err)
        p.stderr.close()


def disk_full():
    if not os.path.exists("/dev/full"):
        raise Skip("no /dev/full")
    for command in (["snapshot", "--window", "50ms"], ["snapshot", "--window", "50ms", "--json"],
                    ["doctor"], ["doctor", "--json"], ["tables"], ["--version"], ["help"]):
        with open("/dev/full", "wb") as full:
            r = run(TARE, *command, stdout=full)
        assert r.returncode == 1, (command, r.returncode)
        assert r.stderr.count(b"\n") == 1 and r.stderr.startswith(b"tare"), (command, r.stderr)


def text():
    with fixture(machine(100, 100, 1000), machine(175, 125, 3000)) as root:
        r = run(TARE, "snapshot", "--root", root)
        assert r.returncode == 0 and not r.stderr, r.stderr
        lines = r.stdout.decode().splitlines()
        assert "2023-11-14 22:13:21Z" in lines[0] and "window 1.000 s" in lines[0], lines[0]
        heading = next(i for i, line in enumerate(lines) if "BUSY%" in line)
        assert lines[heading + 1].split()[:2] == ["all", "75.0"], lines[heading + 1]


def alone():
    r = run(TARE)
    assert r.returncode == 0, r.stderr
    assert b"window 1." in r.stdout.splitlines()[0], r.stdout[:200]


def doctor():
    frame = read_strict(run(TARE, "doctor", "--json").stdout)
    names = [s["source"] for s in frame["sources"]]
    assert "cpu" in names and len(set(names)) == len(names)
    for source in frame["sources"]:
        assert source["ok"] == (not source["findings"])
    lines = run(TARE, "doctor").stdout.decode().splitlines()
    for name in names:
        assert any(line.split()[:1] == [name] for line in lines), name


def host_always():
    d = fixture(machine(10, 100, 0), None)
    for tables in ("cpu", "memory,system"):
        assert snapshot(TARE, d, "--include", tables)["host"] == "made-up"
    assert b"made-up  " in run(TARE, "snapshot", "--root", d, "--include", "cpu").stdout


def first_window_of_a_stream():
    """Without --window a stream's first frame comes after one interval, if that is shorter than a second."""
    begin = time.monotonic()
    frames = snapshots(TARE, None, "--interval", "100ms", "--count", "3", "--include", "cpu")
    assert time.monotonic() - begin < 0.95, time.monotonic() - begin
    for frame in frames:
        near(frame["tables"]["cpu"]["window"]["seconds"], 0.1, 0.5)


def interrupted_before_the_end():
    """A snapshot that was stopped has printed nothing and does not call that success."""
    p = subprocess.Popen([TARE, "snapshot", "--window", "20s", "--include", "cpu"], stdout=subprocess.PIPE)
    time.sleep(0.5)
    p.send_signal(signal.SIGINT)
    out, _ = p.communicate(timeout=5)
    assert not out and p.returncode == -signal.SIGINT, (out, p.returncode)


def what_is_left_out():
    stat = "{0} (p{0}) S 1 1 1 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 50 4096 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 17 0 0 0\n"
    files = {f"/proc/{pid}/stat": stat.format(pid) for pid in range(10, 35)}
    out = run(TARE, "snapshot", "--root", fixture(machine(0, 0, 0, **files), None)).stdout.decode()
    assert "  and 5 more\n" in out and "hidden" not in out, out
    files["/proc/10/stat"] = ("link", "errno:EACCES")
    out = run(TARE, "snapshot", "--top", "0", "--root", fixture(machine(0, 0, 0, **files), None)).stdout.decode()
    assert "more\n" not in out and "others are hidden from this user (tare doctor)" in out, out


case("live machine", live)
case("the window is as long as asked", window_is_kept)
case("recorded machine, exact values", recorded)
case("the window is that of the clock", window_of_the_clock)
case("one moment has no window and says so", one_moment)
case("one frame for each further moment", more_moments)
case("the same bytes in every locale", same_bytes)
case("--count ends the stream", stream_count)
case("an interrupt ends the stream", stream_until_interrupted)
case("a reader that goes away is no failure", reader_goes_away)
case("a full disk is one, in one line", disk_full)
case("text for people", text)
case("the host's name whatever the tables", host_always)
case("the first window of a stream", first_window_of_a_stream)
case("interrupted before there is anything to show", interrupted_before_the_end)
case("what a table leaves out is said", what_is_left_out)
case("tare alone, not on a terminal", alone)
case("doctor names every source", doctor)
done()
