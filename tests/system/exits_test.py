#!/usr/bin/env python3
"""Nothing lost: what is shown of processes that live between two ticks, against what their control group used.

usage: exits_test.py TARE EXITS   (EXITS: bench/exits, which makes children that come and go)
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

V1 = '/sys/fs/cgroup/cpuacct'
V2 = '/sys/fs/cgroup'
number = 0


def say(ok, name, why='', skip=None):
    global number
    number += 1
    print(f"{'ok' if ok or skip else 'not ok'} {number} - {name}" + (f' # SKIP {skip}' if skip else ''))
    if why and not ok:
        print('# ' + why)


class Group:
    """A control group of its own with the CPU time that it used."""

    def __init__(self):
        base = V1 if os.path.exists(V1 + '/cpuacct.usage') else V2
        self.v1 = base == V1
        self.path = f'{base}/tare-test-{os.getpid()}'
        os.mkdir(self.path)

    def enter(self):
        with open(self.path + '/cgroup.procs', 'w') as f:
            f.write(str(os.getpid()))

    def used(self):
        if self.v1:
            return int(open(self.path + '/cpuacct.usage').read()) / 1e9
        for line in open(self.path + '/cpu.stat'):
            if line.startswith('usage_usec '):
                return int(line.split()[1]) / 1e6
        raise RuntimeError('no usage_usec')

    def close(self):
        for _ in range(50):
            try:
                os.rmdir(self.path)
                return
            except OSError:
                time.sleep(0.1)


def shown(frames, comm):
    """CPU seconds and exits of the program's rows: its own, and those of its ended children."""
    cpu = exits = 0
    for frame in frames:
        for row in frame['tables']['process']['rows']:
            if row['command'] == comm and row['cpu_percent'] is not None:
                cpu += row['cpu_percent'] / 100 * frame['tables']['process']['window']['seconds']
        table = frame['tables']['exited']
        for row in table['rows']:
            if comm in (row['name'], row['parent']):
                seconds = table['window']['seconds']
                cpu += row['cpu_percent'] / 100 * seconds
                exits += (row['exits_per_second'] or 0) * seconds
    return cpu, exits


def balance(frames):
    """Largest difference between busy time and its parts, in percent of a CPU."""
    worst = 0
    for frame in frames:
        parts = {r['name']: r['cpu_percent'] for r in frame['tables']['attribution']['rows']}
        busy = parts.pop('busy')
        worst = max(worst, abs(busy - sum(parts.values())))
    return worst


def run(tare, exits, scan, arguments, seconds):
    group = Group()
    out = tempfile.TemporaryFile('w+')
    try:
        watch = subprocess.Popen([tare, 'snapshot', '--json', '--interval', '500ms', '--scan', scan, '--include',
                                  'cpu,process,exited,attribution'], stdout=out)
        time.sleep(1.2)  # the first scan is behind it
        load = subprocess.run([exits, *arguments, '--seconds', str(seconds)], stdout=subprocess.PIPE, text=True,
                              preexec_fn=group.enter, check=True)
        time.sleep(2)  # the kernel frees the last ones a moment later, and frames have to come
        watch.send_signal(signal.SIGINT)
        watch.wait()
        out.seek(0)
        frames = [json.loads(line) for line in out]
        return frames, group.used(), json.loads(load.stdout.splitlines()[-1])
    finally:
        group.close()
        out.close()


def check(tare, exits, scan, name, arguments, least, most):
    # a machine that is busy with other things may skip some: some kernels run no tracing program in a soft interrupt
    # on top of certain tasks
    for _ in range(3):
        frames, used, told = run(tare, exits, scan, arguments, 4)
        cpu, ended = shown(frames, os.path.basename(exits))
        share = cpu / used
        print(f'# {scan}: {name}: {len(frames)} frames, {100 * share:.3f} % of {used:.3f} s, {ended:.0f} ends')
        if least <= share <= most and (scan != 'bpf' or ended >= 0.995 * told['reaped']):
            break
    say(least <= share <= most, f'{scan}: {name}: CPU time attributed',
        f'{cpu:.4f} s shown of {used:.4f} s used, {100 * share:.2f} %')
    if scan == 'bpf':
        # the program itself ends too
        say(0.995 * told['reaped'] <= ended < told['reaped'] + 1.5, f'{scan}: {name}: exits counted',
            f"{ended:.1f} counted of {told['reaped']}")
    say(balance(frames) < 1e-6, f'{scan}: {name}: the parts add up to busy', f'{balance(frames)}')


def main():
    tare, exits = sys.argv[1:3]
    cases = [('500 a second that burn 1 ms', ['--exits', '500', '--burn-us', '1000']),
             ('1000 a second that sleep 2 ms', ['--exits', '1000', '--sleep-ms', '2'])]
    skip = None
    if os.geteuid():
        skip = 'needs root'
    elif subprocess.run([tare, 'snapshot', '--scan', 'bpf', '--window', '50ms', '--include', 'process'],
                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode:
        skip = 'no BPF here'
    for name, arguments in cases:
        if skip:
            say(True, 'bpf: ' + name, skip=skip)
            continue
        check(tare, exits, 'bpf', name, arguments, 0.995, 1.005)
    if os.geteuid():
        say(True, 'procfs: children of their parent', skip='needs root')
    else:
        check(tare, exits, 'procfs', *cases[0], 0.80, 1.20)
    print(f'1..{number}')


if __name__ == '__main__':
    main()
