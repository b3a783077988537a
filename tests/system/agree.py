#!/usr/bin/env python3
"""Totals against independent readers over the same time, on the live machine. TAP.

usage: agree.py TARE

A snapshot's window cannot be started by hand to the nanosecond, so /proc is read just before tare starts and
just after it ends, and once more through tare's own window stamps: under a steady load the shares agree
within 1 %. mpstat is asked for the same seconds where it is installed.
"""
import json
import os
import shutil
import subprocess
import sys
import time

TARE = os.path.abspath(sys.argv[1])
HZ = os.sysconf('SC_CLK_TCK')
results = []


def say(ok, name, skip=None):
    results.append(ok)
    print(f"{'ok' if ok else 'not ok'} {len(results)} - {name}" + (f' # SKIP {skip}' if skip else ''), flush=True)


def near(a, b, share=0.01, least=0.0):
    return abs(a - b) <= max(share * max(abs(a), abs(b)), least)


def cpu_ticks(name):
    for line in open('/proc/stat'):
        words = line.split()
        if words[0] == name:
            v = list(map(int, words[1:9]))
            return sum(v), v[3] + v[4]
    raise KeyError(name)


def used_seconds(pid):
    v = open(f'/proc/{pid}/stat').read().rpartition(')')[2].split()
    return (int(v[11]) + int(v[12])) / HZ


def system():
    out = {}
    for line in open('/proc/stat'):
        words = line.split()
        if words[0] in ('ctxt', 'processes', 'intr'):
            out[words[0]] = int(words[1])
    return out


def snapshot(*args):
    done = subprocess.run([TARE, 'snapshot', '--json', *args], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)['tables']


def main():
    cpu = min(os.sched_getaffinity(0))
    burn = subprocess.Popen([sys.executable, '-c', 'while True: pass'],
                            preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
    try:
        time.sleep(0.3)
        t0, i0, began, used = *cpu_ticks(f'cpu{cpu}'), time.monotonic(), used_seconds(burn.pid)
        sys0 = system()
        mpstat = shutil.which('mpstat') and subprocess.Popen(
            ['mpstat', '-P', str(cpu), '3', '1'], stdout=subprocess.PIPE, text=True,
            env={**os.environ, 'LC_ALL': 'C', 'S_TIME_FORMAT': 'ISO'})
        tables = snapshot('--window', '3s', '--include', 'cpu,system,process')
        t1, i1, ended = *cpu_ticks(f'cpu{cpu}'), time.monotonic()
        sys1, used = system(), used_seconds(burn.pid) - used
        row = next(r for r in tables['cpu']['rows'] if r['name'] == f'cpu{cpu}')
        hand = 100.0 * (1 - (i1 - i0) / (t1 - t0))
        say(near(row['busy_percent'], hand, least=1.0),
            f"cpu{cpu} busy {row['busy_percent']:.2f} %, by hand {hand:.2f} %")
        window = tables['cpu']['window']['seconds']
        say(2.99 <= window <= ended - began, f'window {window:.3f} s within the {ended - began:.3f} s around it')
        forks = (sys1['processes'] - sys0['processes'])
        shown = tables['system']['rows'][0]['forks_per_second'] * window
        say(0 <= shown <= forks, f'forks {shown:.0f}, at most {forks} around it')
        burner = next(r for r in tables['process']['rows'] if r['pid'] == burn.pid)
        share = 100 * used / (ended - began)
        say(near(burner['cpu_percent'], share, 0.05),
            f"the burning process {burner['cpu_percent']:.2f} %, by hand {share:.2f} %")
        if mpstat:
            text = mpstat.communicate()[0]
            line = [w for w in (ln.split() for ln in text.splitlines()) if 'Average:' in w and str(cpu) in w[1:2]]
            idle = float(line[0][-1])
            say(near(100 - idle, row['busy_percent'], least=1.0),
                f"mpstat {100 - idle:.2f} %, tare {row['busy_percent']:.2f} %")
        else:
            say(True, 'mpstat', 'not installed')
    finally:
        burn.kill()
        burn.wait()
    print(f'1..{len(results)}')
    return not all(results)


if __name__ == '__main__':
    sys.exit(main())
