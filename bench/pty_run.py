#!/usr/bin/env python3
"""What a terminal program costs: runs it in a 200x50 pseudo-terminal, takes in its output, and prints one JSON
line with the CPU time (utime + stime, also of its children) and memory over the measured seconds.

usage: pty_run.py [--seconds 20] [--warm 3] [--cols 200] [--rows 50] -- COMMAND [ARGUMENT...]
"""
import argparse
import fcntl
import json
import os
import select
import signal
import struct
import sys
import termios
import time

TICK = os.sysconf('SC_CLK_TCK')


def cpu_seconds(pid):
    """From schedstat (ns) over all threads, which /proc/PID/stat rounds to ticks; children from stat."""
    total = 0
    for thread in os.listdir(f'/proc/{pid}/task'):
        try:
            total += int(open(f'/proc/{pid}/task/{thread}/schedstat').read().split()[0])
        except OSError:
            pass
    stat = open(f'/proc/{pid}/stat').read().rpartition(')')[2].split()
    return total / 1e9, (int(stat[11]) + int(stat[12])) / TICK, (int(stat[13]) + int(stat[14])) / TICK


def memory(pid):
    out = {}
    for line in open(f'/proc/{pid}/status'):
        name, _, rest = line.partition(':')
        if name in ('VmRSS', 'VmHWM'):
            out[name] = int(rest.split()[0]) * 1024
    return out


def drain(master, seconds):
    """Reads for so long; returns bytes, None when the program has ended."""
    end, n = time.monotonic() + seconds, 0
    while True:
        left = end - time.monotonic()
        if left <= 0:
            return n
        if select.select([master], [], [], left)[0]:
            try:
                data = os.read(master, 1 << 16)
            except OSError:
                return None
            n += len(data)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--seconds', type=float, default=20)
    parser.add_argument('--warm', type=float, default=3)
    parser.add_argument('--cols', type=int, default=200)
    parser.add_argument('--rows', type=int, default=50)
    parser.add_argument('command', nargs='+')
    a = parser.parse_args()
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', a.rows, a.cols, 0, 0))
    pid = os.fork()
    if pid == 0:
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        for fd in range(3):
            os.dup2(slave, fd)
        os.closerange(3, 64)
        env = dict(os.environ, TERM='xterm-256color', LC_ALL='C.UTF-8')
        try:
            os.execvpe(a.command[0], a.command, env)
        finally:
            os._exit(127)
    os.close(slave)
    if drain(master, a.warm) is None:
        os.waitpid(pid, 0)
        sys.exit(f'pty_run: {a.command[0]} ended while starting')
    start, before = time.monotonic(), cpu_seconds(pid)
    sent = drain(master, a.seconds)
    if sent is None:
        os.waitpid(pid, 0)
        sys.exit(f'pty_run: {a.command[0]} ended while measured')
    after, took, mem = cpu_seconds(pid), time.monotonic() - start, memory(pid)
    os.kill(pid, signal.SIGTERM)
    drain(master, 0.3)
    if os.waitpid(pid, os.WNOHANG)[0] == 0:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    cpu = after[0] - before[0]
    print(json.dumps({
        'command': a.command, 'seconds': round(took, 3), 'cpu_ms': round(cpu * 1e3, 2),
        'cpu_ticks_ms': round((after[1] - before[1]) * 1e3, 1),
        'children_cpu_ms': round((after[2] - before[2]) * 1e3, 1), 'cpu_percent': round(cpu / took * 100, 3),
        'rss_bytes': mem.get('VmRSS'), 'peak_rss_bytes': mem.get('VmHWM'), 'output_bytes': sent}))


main()
