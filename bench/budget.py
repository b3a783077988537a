#!/usr/bin/env python3
"""Gate: instructions, system calls and allocations of one tick against bench/budget.txt.

usage: budget.py TICK FDINFO FIXTURE [--print]

Counts are differences between a run of 6 and one of 14 ticks over a recorded machine that stands still,
so start-up does not count and the machine's load does not matter. Instructions come from callgrind,
system calls from strace, allocations from the program itself. Times are not looked at. TAP on stdout.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'tests', 'cases'))
import case  # noqa: E402
import gpu_machine  # noqa: E402
LESS, MORE = 6, 14
PROCESSES = 2000
CARDS, CLIENTS = 4, 20  # clients: processes, with two descriptors of one client each


def run(cmd):
    # what libc allocates for a listing would be filled with a pattern
    env = {name: value for name, value in os.environ.items() if name != 'MALLOC_PERTURB_'}
    done = subprocess.run(cmd, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(cmd)}: exit {done.returncode}: {done.stderr.strip()[-400:]}")
    return done


def instructions(tick, args, ticks):
    with tempfile.NamedTemporaryFile() as out:
        done = run(['valgrind', '--tool=callgrind', f'--callgrind-out-file={out.name}',
                    tick, *args, '--ticks', str(ticks)])
    return int(re.search(r'Collected : (\d+)', done.stderr).group(1))


def syscalls(tick, args, ticks):
    with tempfile.NamedTemporaryFile('r') as out:
        run(['strace', '-f', '-qq', '-o', out.name, tick, *args, '--ticks', str(ticks)])
        return sum(1 for line in open(out.name) if '(' in line and 'resumed' not in line)


def per_tick(count, tick, args):
    return (count(tick, args, MORE) - count(tick, args, LESS)) / (MORE - LESS)


def processes(folder):
    """A recorded machine with PROCESSES sleeping processes in folder."""
    def put(path, text):
        path = os.path.join(folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w') as f:
            f.write(text)
    put('clock', '1000000000000 1000000000000 1700000000000000000\n')
    put('proc/meminfo', 'MemTotal: 16384000 kB\nMemFree: 8192000 kB\nMemAvailable: 12288000 kB\n')
    put('proc/stat', 'cpu 1000 0 500 9000 0 0 0 0 0 0\ncpu0 1000 0 500 9000 0 0 0 0 0 0\nctxt 1\n')
    put('etc/passwd', 'root:x:0:0::/root:/bin/sh\n')
    for i in range(PROCESSES):
        pid = 100 + i
        put(f'proc/{pid}/stat',
            f'{pid} (worker{i % 40}) S 1 {pid} {pid} 0 -1 4194304 1234 0 5 0 {i % 97} {i % 31} 0 0 20 0 1 0 '
            f'{5000 + i} 104857600 2560 18446744073709551615 94000000000000 94000000100000 140700000000000 '
            '0 0 0 0 4096 0 0 0 0 17 1 0 0 0 0 0 94000000200000 94000000201000 94000001000000 '
            '140700000000100 140700000000200 140700000000200 140700000000300 0\n')
        put(f'proc/{pid}/statm', '25600 2560 1024 100 0 800 0\n')
        put(f'proc/{pid}/cmdline', f'/usr/bin/worker{i % 40}\0--shard\0{i}\0')


def gpus(folder):
    """A recorded machine with CARDS cards and CLIENTS clients."""
    files = gpu_machine.base(**{'clock': '1000000000000 1000000000000 1700000000000000000\n'})
    for card in range(CARDS):
        files.update(gpu_machine.drm(
            card, f'0000:0{card}:00.0', 'amdgpu',
            {'gpu_busy_percent': '37\n', 'mem_info_vram_total': '17163091968\n', 'mem_info_vram_used': '1907380224\n',
             'current_link_speed': '16.0 GT/s PCIe\n', 'current_link_width': '16\n',
             'max_link_speed': '16.0 GT/s PCIe\n', 'max_link_width': '16\n'},
            {'temp1_input': '47000\n', 'temp1_label': 'edge\n', 'power1_average': '45000000\n',
             'power1_cap': '203000000\n', 'fan1_input': '1200\n', 'freq1_input': '2105000000\n', 'freq1_label': 'sclk\n'}))
    for i in range(CLIENTS):
        card = i % CARDS
        text = gpu_machine.info('amdgpu', 40 + i, f'0000:0{card}:00.0', engine_gfx='18374652039481 ns',
                                engine_compute='9938471120 ns', total_vram='1883264 KiB', resident_vram='1862780 KiB')
        node = f'dri/renderD{128 + card}'
        files.update(gpu_machine.process(100 + i, f'client{i}', {3: (node, text), 4: (node, text)}))
    case.write_files(folder, files)


def measure(tick, fdinfo, fixture, work):
    machine = ['--root', fixture, '--include',
               'cpu,system,memory,swap,pressure,cgroup,disk,network,energy,self']
    many = ['--root', work, '--include', 'process']
    cards = ['--root', os.path.join(work, 'gpus'), '--include', 'gpu,gpu_client,gpu_engine']
    view = ['--root', work, '--include', 'cpu,memory,process', '--view']
    out = {}
    for name, args, per in (('machine', machine, 1), ('process', many, PROCESSES), ('view', view, 1), ('gpu', cards, 1)):
        out[f'{name}.instructions'] = per_tick(instructions, tick, args) / per
        out[f'{name}.syscalls'] = per_tick(syscalls, tick, args) / per
        out[f'{name}.allocations'] = json.loads(run([tick, *args, '--json']).stdout)['allocations']
    out['fdinfo.instructions'] = per_tick(instructions, fdinfo, [])
    out['fdinfo.allocations'] = json.loads(run([fdinfo, '--json']).stdout)['allocations']
    return out


def limits():
    out = {}
    for line in open(os.path.join(HERE, 'budget.txt')):
        words = line.split('#')[0].split()
        if words:
            out[words[0]] = float(words[1])
    return out


def main():
    tick, fdinfo, fixture = (os.path.abspath(path) for path in sys.argv[1:4])
    for tool in ('valgrind', 'strace'):
        if not shutil.which(tool):
            print(f'1..0 # SKIP no {tool} here')
            return 0
    with tempfile.TemporaryDirectory() as work:
        processes(work)
        gpus(os.path.join(work, 'gpus'))
        got = measure(tick, fdinfo, fixture, work)
    if '--print' in sys.argv:
        for name, value in got.items():
            print(f'{name:24} {value:12.1f}')
        return 0
    want = limits()
    bad = 0
    print(f'1..{len(got)}')
    for i, (name, value) in enumerate(got.items(), 1):
        ok = name in want and value <= want[name]
        bad += not ok
        print(f"{'ok' if ok else 'not ok'} {i} - {name} {value:.1f} of at most {want.get(name, 'nothing said')}")
    return bad != 0


if __name__ == '__main__':
    sys.exit(main())
