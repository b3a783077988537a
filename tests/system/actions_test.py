#!/usr/bin/env python3
"""What the live view does to processes of this machine: tags, nice values, CPUs, signals, details. TAP.

usage: actions_test.py TARE
"""
import os
import re
import signal
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from pty import Pty, Tap  # noqa: E402 (ours, beside this file)

TARE = [os.path.abspath(sys.argv[1]), 'top', '--interval', '200ms', '--sort', 'pid']
DOWN, F7, F8 = b'\x1b[B', b'\x1b[18~', b'\x1b[19~'


class Sleepers:
    """Some children and a view that shows only them; the first is selected."""

    def __init__(self, n, **settings):
        self.child = [subprocess.Popen(['sleep', '4243'], **settings) for _ in range(n)]
        wanted = ' or '.join(f'pid == {c.pid}' for c in self.child)
        self.view = Pty(TARE + ['--filter', wanted], cols=120, rows=30)

    def __enter__(self):
        self.view.shows(r'sleep 4243')
        self.view.send(DOWN)
        self.view.pump(0.2)
        return self.view, self.child

    def __exit__(self, *_):
        self.view.__exit__(*_)
        for c in self.child:
            if c.poll() is None:
                c.kill()
            c.wait()


def last(p):
    return p.screen.text().splitlines()[-1]


def nice_column(p, pid):
    m = re.search(rf'^ *{pid}[ *]\S+ +\S+ +(-?\d+) ', p.screen.text(), re.M)
    return int(m.group(1)) if m else None


def nice_of(pid):
    return os.getpriority(os.PRIO_PROCESS, pid)


def renice(t):
    with Sleepers(1) as (p, (child,)):
        was = nice_of(child.pid)
        seen = nice_column(p, child.pid)
        p.send(F8)
        good = p.until(lambda: nice_of(child.pid) == was + 1 and nice_column(p, child.pid) == was + 1, 3)
        t.ok(seen == was and good, 'F8 renices, and the column NI changes', f'{was} {seen}\n{p.screen.text()}')
        t.ok(re.search(rf'{child.pid} \(sleep\): nice {was + 1}', last(p)), 'and says so', last(p))
        p.send(b'r')
        asked = p.shows(rf'Nice of {child.pid} sleep \(now {was + 1}\): ')
        p.send(b'12\r')
        good = p.until(lambda: nice_of(child.pid) == 12 and nice_column(p, child.pid) == 12, 3)
        t.ok(asked and good, 'r sets a value', p.screen.text())
        if os.geteuid() == 0:
            p.send(F7)
            t.ok(p.until(lambda: nice_of(child.pid) == 11, 3), 'root may lower it', p.screen.text())
            child.kill()
            child.wait()
            p.send(F7)
            t.ok(p.shows(r'ended'), 'one that ended is told', last(p))


def refused(t):
    """An ordinary user and the process of another."""
    if os.geteuid() != 0:
        t.ok(True, 'refusals # SKIP only root can become somebody else')
        return
    child = subprocess.Popen(['sleep', '4243'])
    try:
        wrap = [sys.executable, '-c', 'import os, sys; os.setgid(65534); os.setuid(65534); os.execv(sys.argv[1], sys.argv[1:])']
        with Pty(wrap + TARE + ['--filter', f'pid == {child.pid}'], cols=120, rows=30) as p:
            if not p.shows(r'sleep 4243'):
                t.ok(True, 'refusals # SKIP nobody cannot run it here, or cannot see processes')
                return
            p.send(DOWN)
            p.pump(0.2)
            p.send(F8)
            t.ok(p.shows(rf'cannot renice {child.pid} \(sleep\): permission denied: it belongs to another user'),
                 'a refusal says why', last(p))
            p.send(b'i')
            t.ok(p.shows(r'program +permission denied: only its user or root may read this'),
                 'and so does a detail', p.screen.text())
    finally:
        child.kill()
        child.wait()


def bind(t):
    with Sleepers(1) as (p, (child,)):
        allowed = sorted(os.sched_getaffinity(child.pid))
        p.send(b'a')
        asked = p.shows(rf'CPUs of {child.pid} sleep \(now {allowed[0]}')
        p.send(b'%d\r' % allowed[-1])
        good = p.until(lambda: os.sched_getaffinity(child.pid) == {allowed[-1]}, 3)
        t.ok(asked and good, 'a binds to a CPU', p.screen.text())
        p.send(b'a8191\r')
        t.ok(p.shows(r'no such CPU: 8191') and os.sched_getaffinity(child.pid) == {allowed[-1]},
             'but not to one that is not there', last(p))


def tagged(t):
    with Sleepers(3) as (p, child):
        p.send(b'xx')
        marks = p.until(lambda: all(re.search(rf'^ *{c.pid}\*', p.screen.text(), re.M) for c in child[:2]), 3)
        t.ok(marks and not re.search(rf'^ *{child[2].pid}\*', p.screen.text(), re.M), 'x marks rows', p.screen.text())
        p.send(F8)
        good = p.until(lambda: '2 of 2 done' in last(p), 3)
        t.ok(good and [nice_of(c.pid) - nice_of(os.getpid()) for c in child] == [1, 1, 0],
             'F8 renices the tagged ones', p.screen.text())
        p.send(b'k\r')
        asked = p.shows(r'Send SIGTERM to 2 tagged processes\? y/n')
        p.send(b'y')
        ended = p.until(lambda: all(c.poll() == -signal.SIGTERM for c in child[:2]), 3)
        t.ok(asked and ended and child[2].poll() is None, 'signals go to the tagged ones alone', p.screen.text())
        p.pump(0.5)
        p.send(F8)
        good = p.until(lambda: nice_of(child[2].pid) == nice_of(os.getpid()) + 1, 3)
        t.ok(good, 'their tags went with them', p.screen.text())


def details(t):
    with Sleepers(1, env={'PATH': os.environ['PATH'], 'HOSTILE': '\x1b[2J\x1b]0;owned\x07'}) as (p, (child,)):
        p.send(b'i')
        t.ok(p.shows(rf'process +{child.pid} sleep') and p.shows(r'command +sleep 4243') and p.shows(r'open files'),
             'the pane shows who it is, and limits', p.screen.text())
        p.send(b'\x1b[F')
        t.ok(p.shows(r'press e') and 'HOSTILE' not in p.screen.text(), 'no environment before it is asked for',
             p.screen.text())
        p.send(b'e\x1b[F')
        t.ok(p.shows(r'HOSTILE=\?\[2J\?\]0;owned\?') and not p.screen.unknown, 'then it is there, harmless',
             p.screen.text())
        p.send(b'\x1b')
        t.ok(p.shows(r'COMMAND') and 'HOSTILE' not in p.screen.text(), 'Esc goes back', p.screen.text())


Tap().run([renice, refused, bind, tagged, details])
