#!/usr/bin/env python3
"""tare record on the running kernel: what comes back of loads whose counts are known, read by another reader.

usage: record_test.py TARE
"""
import ctypes
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import trace_reader  # noqa: E402

TARE = os.path.abspath(sys.argv[1])
FOLDER = tempfile.TemporaryDirectory()
FILE = os.path.join(FOLDER.name, 't.pftrace')
number = 0


def say(ok, name, why='', skip=None):
    global number
    number += 1
    print(f"{'ok' if ok or skip else 'not ok'} {number} - {name}" + (f' # SKIP {skip}' if skip else ''), flush=True)
    if why and not ok:
        for line in str(why).splitlines():
            print('# ' + line)


def record(*args, command=None, **kw):
    return subprocess.run([TARE, 'record', '-o', FILE, *args, *(['--', *command] if command else [])],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60, **kw)


def start(*args):
    return subprocess.Popen([TARE, 'record', '-o', FILE, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def instances():
    folder = os.path.join(TRACEFS, 'instances')
    return [n for n in os.listdir(folder) if n.startswith('tare-')]


def wait_instance(pid):
    path = os.path.join(TRACEFS, 'instances', f'tare-{pid}')
    for _ in range(500):
        try:
            with open(path + '/tracing_on') as f:
                if f.read() == '1\n':
                    return path
        except OSError:
            pass
        time.sleep(0.01)
    raise AssertionError('tracing never began')


def counts(r):
    m = re.search(r'(\d+) events in .* s, (\d+) lost', r if isinstance(r, str) else r.stderr)
    return int(m.group(1)), int(m.group(2))


def mount():
    """A mount of our own: none is needed for tare."""
    folder = os.path.join(FOLDER.name, 'tracefs')
    os.mkdir(folder)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b'tracefs', folder.encode(), b'tracefs', 0, None):
        return None
    return folder


def forks():
    r = record('-e', 'sched', command=['sh', '-c', 'i=0; while [ $i -lt 200 ]; do /bin/true; i=$((i+1)); done'])
    assert r.returncode == 0, r.stderr
    t = trace_reader.read(FILE)
    assert t.cut == 0
    shell = [e for e in t.named('sched_process_exec') if e['filename'].endswith('/sh')]
    pid = shell[0]['pid']
    made = [e for e in t.named('sched_process_fork') if e['parent_pid'] == pid]
    assert len(made) == 200, len(made)
    children = {e['child_pid'] for e in made}
    assert len([e for e in t.named('sched_process_exit') if e['pid'] in children]) == 200
    assert len([e for e in t.named('task_newtask') if e['pid'] in children]) == 200
    # what the summary says is what is there
    assert counts(r) == (len(t.events), 0), (counts(r), len(t.events))


def packets():
    record('-e', 'sched_switch', command=['sleep', '0.2'])
    t = trace_reader.read(FILE)
    clocks = {trace_reader.one(c, 1): trace_reader.one(c, 2)
              for c in map(trace_reader.message, trace_reader.message(t.packets[0][6][0])[1])}
    assert set(clocks) == {1, 3, 6}
    assert abs(clocks[1] / 1e9 - time.time()) < 60
    assert abs(clocks[6] / 1e9 - time.clock_gettime(time.CLOCK_BOOTTIME)) < 60
    system = trace_reader.message(next(p for p in t.packets if 45 in p)[45][0])
    uts = trace_reader.message(system[1][0])
    assert uts[3][0].decode() == os.uname().release and uts[4][0].decode() == os.uname().machine
    assert t.processes[os.getpid()][1][-2].endswith('record_test.py'), t.processes[os.getpid()]
    assert t.processes[os.getpid()][0] == os.getppid()
    end = time.clock_gettime(time.CLOCK_BOOTTIME) * 1e9
    assert all(clocks[6] <= e.time <= end for e in t.events)


def switches():
    """Each switch of a CPU takes over from the one before it: none is missing and none is twice."""
    r = record('-e', 'sched_switch,sched_waking', command=['sh', '-c', 'for i in 1 2 3 4 5; do sleep 0.02; done'])
    t = trace_reader.read(FILE)
    assert counts(r)[1] == 0
    for cpu in {e.cpu for e in t.events}:
        mine = [e for e in t.named('sched_switch') if e.cpu == cpu]
        assert sum('prev_comm' in e.values for e in mine) == 1, 'the first of each CPU is in full'
        assert all(a.time <= b.time for a, b in zip(mine, mine[1:]))
    kernel = {cpu: trace_reader.one(s, 9) for cpu, s in t.stats[2].items()}
    for cpu, n in kernel.items():
        assert n == sum(e.cpu == cpu for e in t.events), (cpu, n)
    assert any(e['next_comm'] == 'sleep' for e in t.named('sched_switch'))
    assert any(e['comm'] == 'sleep' for e in t.named('sched_waking'))


def markers():
    p = start('-e', 'sched_process_exit')
    path = wait_instance(p.pid)
    lines = [f'line {i} ' + 'x' * (i % 50) + '\n' for i in range(500)] + ['bad \udcff byte\n']
    with open(path + '/trace_marker', 'wb', buffering=0) as f:
        for line in lines:
            f.write(line.encode(errors='surrogateescape'))
    p.send_signal(signal.SIGINT)
    _, err = p.communicate(timeout=20)
    assert p.returncode == 0, err
    got = [e['buf'] for e in trace_reader.read(FILE).named('print')]
    assert got == [line.replace('\udcff', '\ufffd') for line in lines], got[-3:]


def overload():
    """captured + lost = what the kernel counts, on each CPU."""
    r = record('-e', 'raw_syscalls', '--buffer-size', '64K', '--drain-period', '1s',
               command=['dd', 'if=/dev/zero', 'of=/dev/null', 'bs=1', 'count=100000'])
    captured, lost = counts(r)
    t = trace_reader.read(FILE)
    assert captured == len(t.events) and lost > 0, (captured, len(t.events), lost)
    assert sum(trace_reader.one(s, 3, 0) for s in t.stats[2].values()) == lost
    assert captured == sum(trace_reader.one(s, 9, 0) for s in t.stats[2].values())
    assert sum(t.lost.values()) > 0, 'no bundle says that something is missing'
    assert '--buffer-size' in r.stderr
    # two calls for each byte, entered and left
    assert captured + lost >= 400000 - 1000, captured + lost
    r = record('-e', 'raw_syscalls', '--buffer-size', '64K', '--fail-on-loss',
               command=['dd', 'if=/dev/zero', 'of=/dev/null', 'bs=1', 'count=200000'])
    assert r.returncode == 4, r.returncode


def generic():
    record('-e', 'sched:sched_stat_runtime,timer:*,raw_syscalls:sys_enter', command=['sh', '-c', 'sleep 0.1; echo a'])
    t = trace_reader.read(FILE)
    runs = t.named('sched_stat_runtime')
    assert runs and all(isinstance(e['comm'], str) and e['comm'] and e['pid'] > 0 and e['runtime'] < 1 << 40 for e in runs)
    assert [g for n, g, _ in t.generic.values() if n == 'sched_stat_runtime'] == ['sched']
    assert all(len(e['args']) == 6 for e in t.named('sys_enter'))


def addresses():
    """No event of any group tells a kernel's address."""
    record('-e', 'workqueue,timer,kmem,skb,block,rcu,signal,sched:*', command=['sh', '-c', 'sync; sleep 0.2; ls -R /proc/self'])
    t = trace_reader.read(FILE)
    assert len({e.name for e in t.events}) > 10
    for e in t.events:
        for field, v in e.values.items():
            for x in v if isinstance(v, list) else [v]:
                assert not (isinstance(x, int) and 0xffff800000000000 <= x < 0xfffffffffffff000), (e.name, field, hex(x))


def status():
    assert record(command=['sh', '-c', 'exit 7']).returncode == 7
    assert record(command=['sh', '-c', 'kill -TERM $$']).returncode == 128 + 15
    r = record(command=['/nonexistent/command'])
    assert r.returncode == 1 and '/nonexistent/command' in r.stderr, r.stderr
    r = record('-e', 'no_such_event', command=['true'])
    assert r.returncode == 1 and 'no_such_event' in r.stderr, r.stderr
    assert record('--duration', 'soon').returncode == 2
    assert record('--chunk', '5000').returncode == 2
    began = time.time()
    r = record('--duration', '300ms')
    assert r.returncode == 0 and 0.25 < time.time() - began < 10
    began = time.time()
    record('--duration', '300ms', command=['sleep', '30'])
    assert time.time() - began < 10
    assert not instances(), instances()


def narrowed():
    record('-e', 'sched_process_exec,sched_process_exit', '--filter', 'sched/sched_process_exit: comm == "true"',
           command=['sh', '-c', '/bin/true; /bin/echo a; /bin/true'])
    t = trace_reader.read(FILE)
    assert len(t.named('sched_process_exec')) >= 4
    assert [e['comm'] for e in t.named('sched_process_exit')] == ['true', 'true']
    r = record('--filter', 'sched:sched_switch: nothing > 0', command=['true'])
    assert r.returncode == 1 and 'nothing > 0' in r.stderr and 'Field not found' in r.stderr, r.stderr
    r = record('--filter', 'sched/nothing: a > 0', command=['true'])
    assert r.returncode == 1 and 'no event sched/nothing' in r.stderr, r.stderr
    # one process of two, and what it starts
    shell = ['sh', '-c', 'sleep 0.5; for i in 1 2 3; do /bin/true; sleep 0.01; done']
    a, b = subprocess.Popen(shell), subprocess.Popen(shell)
    record('-e', 'sched_process_fork,sched_process_exec', '-p', str(a.pid), '--duration', '1s')
    assert a.wait() == b.wait() == 0
    t = trace_reader.read(FILE)
    made = t.named('sched_process_fork')
    assert len(made) >= 6 and {e['parent_pid'] for e in made} == {a.pid}, {e['parent_pid'] for e in made}
    assert len(t.named('sched_process_exec')) >= 6
    gone = subprocess.Popen(['true'])
    gone.wait()
    r = record('-p', str(gone.pid), command=['true'])
    assert r.returncode == 1 and f'no process {gone.pid}' in r.stderr, r.stderr
    record('-e', 'sched', '--cpus', '0', command=['sh', '-c', 'sleep 0.1; taskset -c 1 true; taskset -c 0 true'])
    assert {e.cpu for e in trace_reader.read(FILE).events} == {0}
    r = record('--cpus', '1000', command=['true'])
    assert r.returncode == 1 and '1000' in r.stderr
    assert not instances()


def listed():
    r = subprocess.run([TARE, 'record', '--list-events'], stdout=subprocess.PIPE, text=True, timeout=20)
    assert 'sched:sched_switch' in r.stdout.splitlines() and len(r.stdout.splitlines()) > 100


def killed():
    """What was written until then can be read, and the next run clears up."""
    p = start('-e', 'sched')
    wait_instance(p.pid)
    time.sleep(2.5)
    p.kill()
    p.wait()
    p.stderr.close()
    p.stdout.close()
    t = trace_reader.read(FILE)
    assert t.cut == 0 and t.events
    assert instances() == [f'tare-{p.pid}']
    record(command=['true'])
    assert not instances(), instances()


def together():
    """Two at once, and neither touches the other or what others set."""
    top = os.path.join(TRACEFS, 'tracing_on')
    with open(top) as f:
        before = f.read()
    other = os.path.join(FOLDER.name, 'other.pftrace')
    a = subprocess.Popen([TARE, 'record', '-e', 'sched_process_fork', '-o', other], stderr=subprocess.PIPE, text=True)
    wait_instance(a.pid)
    record('-e', 'sched_process_fork', command=['sh', '-c', 'for i in 1 2 3; do /bin/true; done'])
    a.send_signal(signal.SIGTERM)
    a.communicate(timeout=20)
    mine, others = trace_reader.read(FILE), trace_reader.read(other)
    key = {(e.time // 1000, e['child_pid']) for e in mine.named('sched_process_fork')}
    pids = {e['child_pid'] for e in others.named('sched_process_fork')}
    assert key and {p for _, p in key} <= pids
    with open(top) as f:
        assert f.read() == before


def targets():
    with open(FILE, 'wb') as f:
        r = subprocess.run([TARE, 'record', '-o', '-', '--', 'true'], stdout=f, stderr=subprocess.PIPE, timeout=20)
    assert r.returncode == 0 and trace_reader.read(FILE).packets
    p = subprocess.Popen([TARE, 'record', '-o', '-', '--duration', '300ms'], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    data, _ = p.communicate(timeout=20)
    t = trace_reader.Trace(data)
    assert t.cut == 0 and t.packets
    r = subprocess.run([TARE, 'record', '-o', '/nonexistent/folder/t', '--', 'true'], stderr=subprocess.PIPE, text=True)
    assert r.returncode == 1 and '/nonexistent/folder/t' in r.stderr
    # a reader that goes away
    p = subprocess.Popen([TARE, 'record', '-o', '-'], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    p.stdout.close()
    _, err = p.communicate(timeout=20)
    assert p.returncode == 1 and 'Broken pipe' in err, err


def full():
    """A full disk ends it cleanly, with what is there until then."""
    folder = os.path.join(FOLDER.name, 'small')
    os.mkdir(folder)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b'none', folder.encode(), b'tmpfs', 0, b'size=2M'):
        raise AssertionError('no tmpfs')
    path = os.path.join(folder, 't')
    try:
        r = subprocess.run([TARE, 'record', '-e', 'raw_syscalls', '-o', path, '--',
                            'dd', 'if=/dev/zero', 'of=/dev/null', 'bs=1', 'count=300000'],
                           stderr=subprocess.PIPE, text=True, timeout=60)
        t = trace_reader.read(path)
    finally:
        libc.umount2(folder.encode(), 2)
    assert r.returncode == 1 and 'No space left' in r.stderr, r.stderr
    assert t.cut == 0 and t.packets
    assert not instances()


TRACEFS = mount() if os.geteuid() == 0 else None
CASES = [('forks, exits and the summary', forks), ('clocks, system, processes', packets), ('switches and wakings', switches),
         ('markers of the own instance', markers), ('losses add up', overload), ('events that describe themselves', generic),
         ('no kernel addresses', addresses), ('exit status', status), ('less of it', narrowed), ('list of events', listed), ('killed', killed),
         ('two at once', together), ('where it goes to', targets), ('a full disk', full)]
for name, fn in CASES:
    if not TRACEFS:
        say(True, name, skip='no tracefs, or not root')
        continue
    try:
        fn()
        say(True, name)
    except Exception as e:  # the next one runs
        import traceback
        say(False, name, traceback.format_exc() or e)
if TRACEFS:
    ctypes.CDLL(None).umount2(TRACEFS.encode(), 2)
print(f'1..{number}')
