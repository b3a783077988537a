#!/usr/bin/env python3
"""libtare's walkers say what a snapshot says, value by value.

usage: library.py TARE DUMP
"""
import json
import os
import subprocess
import sys

import gpu_machine as m
from case import TARE, case, done, fixture, moment

DUMP = os.path.abspath(sys.argv[2])
FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'fixtures')
# members whose names differ from those of the columns
COLUMNS = {
    'process': {'cpu_time_seconds': 'time_seconds', 'age_seconds': 'started_age_seconds', 'wait_percent': 'sched_wait_percent',
                'gpus': 'gpu', 'gpu_percent': 'gpu_busy_percent'},
    'sensor': {'volts': 'voltage_volts', 'amperes': 'current_amperes', 'watts': 'power_watts', 'fan_rpm': 'fan',
               'high_celsius': 'limit_high_celsius', 'critical_celsius': 'limit_critical_celsius'},
}


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True, timeout=60).stdout


def walked(root, refreshes=2):
    """{kind: [{member: value}]}"""
    kinds = {}
    for line in run(DUMP, root, *['again'] * (refreshes - 1)).splitlines():
        kind, row, member, value = line.split(' ', 3)
        rows = kinds.setdefault(kind, [])
        if int(row) == len(rows):
            rows.append({})
        rows[int(row)][member] = json.loads(value)
    return kinds


def same(a, b):
    """In JSON numbers are rounded."""
    if isinstance(a, str) or isinstance(b, str):
        return a == b
    return abs(float(a) - float(b)) <= 1e-5 * max(1, abs(float(b)))


def compare(root, expected):
    """Every value of both; expected: kinds that must have rows, with the members that must be there."""
    kinds = walked(root)
    tables = json.loads(run(TARE, 'snapshot', '--json', '--root', root))['tables']
    for kind, members in expected.items():
        assert kinds.get(kind), f'{kind} has no rows'
        for member in members:
            assert any(member in row for row in kinds[kind]), f'no {kind} has {member}'
    for kind, rows in kinds.items():
        names = COLUMNS.get(kind, {})
        shown = tables[kind]['rows']
        assert len(rows) == len(shown), f'{kind}: {len(rows)} rows, a snapshot has {len(shown)}'
        known = {member for row in rows for member in row}
        for row, other in zip(rows, shown):
            for member in known:
                value, snapshot = row.get(member), other.get(names.get(member, member))
                assert (value is None) == (snapshot is None), f'{kind} {row}: {member} is {value}, in a snapshot {snapshot}'
                assert value is None or same(value, snapshot), f'{kind} {row}: {member} is {value}, in a snapshot {snapshot}'


def test_machine():
    compare(os.path.join(FIXTURES, 'vm2'), {
        'process': ['pid', 'ppid', 'threads', 'cpu_percent', 'resident_bytes', 'command', 'cmdline', 'user', 'state',
                    'age_seconds', 'cpu_time_seconds'],
        'cpu': ['name', 'busy_percent', 'idle_percent', 'steal_percent'], 'memory': ['total_bytes', 'available_bytes', 'used_bytes'],
        'disk': ['name', 'read_bytes_per_second', 'busy_percent', 'size_bytes'],
        'network': ['name', 'rx_bytes_per_second', 'tx_packets_per_second', 'up']})


def test_sensors():
    compare(os.path.join(FIXTURES, 'desk'), {
        'sensor': ['label', 'chip', 'kind', 'state', 'temperature_celsius', 'fan_rpm', 'volts', 'high_celsius'],
        'cpu': ['user_percent'], 'memory': ['swap_total_bytes', 'swap_used_bytes']})


PDEV = '0000:03:00.0'


def gpu_moment(busy_ns, ticks, **extra):
    return m.base(**m.drm(0, PDEV, 'amdgpu', {'gpu_busy_percent': '40\n', 'mem_info_vram_used': '1048576\n',
                                              'mem_info_vram_total': '8388608\n'},
                          {'temp1_input': '51000\n', 'power1_average': '30000000\n', 'power1_cap': '200000000\n',
                           'fan1_input': '1200\n', 'freq1_input': '2100000000\n'}),
                  **m.process(40, 'render', {5: ('dri/renderD128', m.info(
                      'amdgpu', 7, PDEV, engine_gfx=f'{busy_ns} ns', total_vram='2048 KiB', resident_vram='1024 KiB'))}, ticks=ticks),
                  **m.process(41, 'plain', ticks=ticks), **extra)


def gpu_root():
    return fixture(gpu_moment(1_000_000_000, 10), gpu_moment(1_250_000_000, 20))


def test_gpus():
    with gpu_root() as root:
        compare(root, {'gpu': ['number', 'name', 'device', 'driver', 'busy_percent', 'memory_used_bytes', 'memory_total_bytes',
                               'temperature_celsius', 'power_watts', 'power_cap_watts'],
                       'gpu_client': ['pid', 'gpu', 'command', 'driver', 'busy_percent', 'memory_bytes'],
                       'process': ['gpus', 'gpu_percent', 'gpu_memory_bytes']})
        render = next(p for p in walked(root)['process'] if p['pid'] == 40)
        assert abs(render['gpu_percent'] - 25) < 0.01, render


def test_first_refresh():
    """Nothing to compare with: gauges are there, rates are absent and not 0."""
    for p in walked(os.path.join(FIXTURES, 'vm2'), 1)['process']:
        assert 'cpu_percent' not in p, p
        assert 'age_seconds' in p, p


def test_end():
    """After the last moment a recorded machine has no more."""
    got = subprocess.run([DUMP, os.path.join(FIXTURES, 'vm2'), 'again', 'again'], stdout=subprocess.PIPE, check=False, timeout=60)
    assert got.returncode == 1 and not got.stdout, got


def test_ended():
    """A process that has ended since is not among the others."""
    with fixture({**m.base(), **m.process(50, 'stays'), **m.process(51, 'goes')},
                 {**m.base(), **m.process(50, 'stays'), 'clock': moment(1)}) as root:
        assert [p['pid'] for p in walked(root)['process']] == [50]


case('the machine, its processes, disks and interfaces', test_machine)
case('sensors', test_sensors)
case('GPUs and who uses them', test_gpus)
case('the first refresh has no rates', test_first_refresh)
case('the end of a recorded machine is told', test_end)
case('a process that ended is gone', test_ended)
done()
