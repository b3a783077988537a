#!/usr/bin/env python3
"""Group C: CPUs and containers. Each case is a fault that users of other monitors met."""
import sys

from case import TARE, case, done, fixture, near, rows, snapshot

STAT = 'cpu {0}\n{1}ctxt {2}\nprocesses {3}\nprocs_running 1\nprocs_blocked 0\n'


def stat(cpus, ctxt=1000, forks=10):
    """/proc/stat of {id: ten fields}."""
    total = [sum(v) for v in zip(*cpus.values())] if cpus else [0] * 10
    lines = ''.join(f"cpu{i} {' '.join(map(str, v))}\n" for i, v in cpus.items())
    return STAT.format(' '.join(map(str, total)), lines, ctxt, forks)


def cpu(t0, t1, extra=None):
    """Rows of the cpu table by name, and its total, over two moments of /proc/stat (texts)."""
    d = fixture({'proc/stat': t0, **(extra or {})}, {'proc/stat': t1, **(extra or {})})
    frame = snapshot(TARE, d, '--include', 'cpu')
    return rows(frame, 'cpu'), frame['tables']['cpu']['total']


def c01():
    got, total = cpu(stat({0: [1000, 0, 0, 1000, 0, 0, 0, 0, 500, 0]}), stat({0: [1600, 0, 100, 1300, 0, 0, 0, 0, 1000, 0]}))
    for r in (got['cpu0'], total):
        near(r['busy_percent'], 70.0)
        near(r['guest_percent'], 50.0)
        near(r['user_percent'], 10.0)
        near(r['system_percent'], 10.0)
        near(r['idle_percent'], 30.0)


def c03_step_back():
    got, _ = cpu(stat({0: [100, 0, 0, 10944650, 0, 0, 0, 0, 0, 0]}), stat({0: [200, 0, 0, 10944648, 0, 0, 0, 0, 0, 0]}))
    near(got['cpu0']['idle_percent'], 0.0)
    near(got['cpu0']['busy_percent'], 100.0)


def c03_replug():
    got, _ = cpu(stat({0: [100, 0, 0, 10944650, 0, 0, 0, 0, 0, 0]}), stat({0: [200, 0, 0, 10944350, 0, 0, 0, 0, 0, 0]}))
    assert got['cpu0']['busy_percent'] is None
    assert got['cpu0']['reasons']['busy_percent'] == 'reset'


def c04():
    ok0, ok1 = [100, 0, 100, 1000, 0, 0, 0, 0, 0, 0], [150, 0, 100, 1050, 0, 0, 0, 0, 0, 0]
    got, total = cpu(stat({0: ok0, 2: [9000, 0, 3000, 50000, 0, 0, 0, 0, 0, 0]}),
                      stat({0: ok1, 2: [10, 0, 5, 85, 0, 0, 0, 0, 0, 0]}))
    for key in ('busy_percent', 'user_percent', 'idle_percent', 'iowait_percent'):
        assert got['cpu2'][key] is None, key
        assert got['cpu2']['reasons'][key] == 'reset'
    near(got['cpu0']['busy_percent'], 50.0)
    near(total['busy_percent'], 50.0)


def c06():
    z = [0] * 10
    sysfs = {'sys/devices/system/cpu/present': '0-2\n'}
    for i, khz in ((0, 800000), (1, 400000), (2, 3200000)):
        sysfs[f'sys/devices/system/cpu/cpu{i}/cpufreq/scaling_cur_freq'] = f'{khz}\n'
    got, _ = cpu(stat({0: z, 2: z}), stat({0: z, 2: z}), extra=sysfs)
    assert got['cpu2']['frequency_hertz'] == 3.2e9
    assert got['cpu0']['frequency_hertz'] == 8e8
    assert got['cpu1']['frequency_hertz'] is None
    assert got['cpu1']['reasons']['frequency_hertz'] == 'offline'


def c07():
    z, y = [10, 0, 0, 100, 0, 0, 0, 0, 0, 0], [20, 0, 0, 190, 0, 0, 0, 0, 0, 0]
    present = {'sys/devices/system/cpu/present': '0-3\n'}
    got, total = cpu(stat({0: z, 1: z, 2: z, 3: z}), stat({0: y, 2: y}), extra=present)
    assert list(got) == ['cpu0', 'cpu1', 'cpu2', 'cpu3']
    for name in ('cpu1', 'cpu3'):
        assert got[name]['online'] == 0 and got[name]['busy_percent'] is None
        assert got[name]['reasons']['busy_percent'] == 'offline'
    near(got['cpu2']['busy_percent'], 10.0)
    near(total['busy_percent'], 10.0)
    # and back again: a new baseline, never a difference over the time it was away
    got, _ = cpu(stat({0: z, 2: z}), stat({0: y, 1: z, 2: y, 3: z}), extra=present)
    assert got['cpu3']['online'] == 1
    assert got['cpu3']['reasons']['busy_percent'] == 'first'


def c09():
    """Lines of any length are read whole: 30,000 interrupts before the counters that matter."""
    z, y = [10, 0, 0, 100, 0, 0, 0, 0, 0, 0], [20, 0, 0, 190, 0, 0, 0, 0, 0, 0]
    intr = 'intr 5000' + ' 1' * 30000 + '\n'
    t0 = stat({0: z}, ctxt=1000).replace('ctxt', intr + 'ctxt')
    t1 = stat({0: y}, ctxt=3500).replace('ctxt', intr.replace('5000', '5600') + 'ctxt')
    d = fixture({'proc/stat': t0}, {'proc/stat': t1})
    row = snapshot(TARE, d, '--include', 'system')['tables']['system']['rows'][0]
    near(row['context_switches_per_second'], 2500.0)
    near(row['interrupts_per_second'], 600.0)


def c10():
    z, y = [10, 0, 0, 100, 0, 0, 0, 0, 0, 0], [20, 0, 0, 190, 0, 0, 0, 0, 0, 0]
    got, total = cpu(stat({i: z for i in range(512)}), stat({i: y for i in range(512)}))
    assert len(got) == 512
    near(got['cpu511']['busy_percent'], 10.0)
    near(total['busy_percent'], 10.0)


def cgroup(files):
    base = {'proc/stat': stat({0: [0] * 10}), 'proc/self/cgroup': '0::/box\n',
            'proc/meminfo': 'MemTotal: 33554432 kB\nMemFree: 1 kB\n', 'sys/fs/cgroup/cgroup.procs': ''}
    d = fixture({**base, **files}, None)
    return snapshot(TARE, d, '--include', 'cgroup')['tables']['cgroup']['rows'][0]


def c12():
    row = cgroup({'sys/fs/cgroup/box/cpu.max': '200000 100000\n', 'sys/fs/cgroup/box/cpuset.cpus.effective': '4-5\n',
                  'sys/fs/cgroup/box/memory.max': '2147483648\n', 'sys/fs/cgroup/box/memory.current': '1073741824\n'})
    near(row['cpu_limit'], 2.0)
    assert row['cpus'] == 2
    near(row['memory_share_percent'], 50.0)
    assert row['memory_limit_bytes'] == 2147483648


def c13():
    for text, want, reason in (('50000\n', 0.5, None), ('max 100000\n', None, 'unlimited'), ('max\n', None, 'unlimited'),
                               ('50000 0\n', None, 'invalid')):
        row = cgroup({'sys/fs/cgroup/box/cpu.max': text, 'sys/fs/cgroup/box/memory.max': 'max\n'})
        assert row['cpu_limit'] == want, (text, row['cpu_limit'])
        if reason:
            assert row['reasons']['cpu_limit'] == reason, (text, row['reasons'])


def c15():
    for limit in (9223372036854771712, 9223372036854710272, 9223372036854775807):
        row = cgroup({'proc/self/cgroup': '4:memory:/box\n1:cpu:/\n',
                      'sys/fs/cgroup/memory/box/memory.limit_in_bytes': f'{limit}\n',
                      'sys/fs/cgroup/memory/box/memory.usage_in_bytes': '4096\n'})
        assert row['memory_limit_bytes'] is None and row['reasons']['memory_limit_bytes'] == 'unlimited'
        assert row['memory_used_bytes'] == 4096


def c16():
    row = cgroup({'proc/self/cgroup': '0::/parent/leaf\n', 'sys/fs/cgroup/parent/leaf/memory.max': 'max\n',
                  'sys/fs/cgroup/parent/memory.max': '1073741824\n', 'sys/fs/cgroup/parent/leaf/memory.current': '1\n'})
    assert row['memory_limit_bytes'] == 1073741824


case('C01 guest counted once', c01)
case('C03 idle steps back: held', c03_step_back)
case('C03 idle falls by 3 s: the CPU was re-plugged', c03_replug)
case('C04 CPU online again: n/a, not zero', c04)
case('C06 frequency of the right core', c06)
case('C07 hot-unplug and back', c07)
case('C09 very long line', c09)
case('C10 512 CPUs', c10)
case('C12 limits of the container', c12)
case('C13 forms of cpu.max', c13)
case('C15 v1 unlimited', c15)
case('C16 limit of an ancestor', c16)
sys.exit(done())
