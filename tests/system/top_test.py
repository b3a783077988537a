#!/usr/bin/env python3
"""The live view on this machine: sizes, keys, mouse, text from strangers. TAP.

usage: top_test.py TARE
"""
import ctypes
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from pty import Pty, Tap  # noqa: E402 (ours, beside this file)

TARE = [os.path.abspath(sys.argv[1]), 'top']
READY = r'(?i)command'


def top(*options, **settings):
    return Pty(TARE + ['--interval', '200ms'] + list(options), **settings)


def sizes(t):
    for cols, rows in ((38, 10), (73, 41), (1, 1), (0, 0), (2, 1), (1, 50), (20, 5), (80, 24), (250, 80), (999, 3)):
        with top(cols=cols, rows=rows) as p:
            p.pump(0.7)
            running, drawn = p.alive(), len(p.raw) > 0
            p.set_size(80, 24)
            recovers = p.shows(READY)
            p.send(b'q')
            t.ok(running and drawn and recovers and p.wait() == 0, f'{cols}x{rows} runs and recovers at 80x24',
                 f'{running} {drawn} {recovers}\n{p.screen.text()}')


def storm(t):
    with top('--interval', '100ms') as p:
        p.shows(READY)
        for _ in range(200):
            for cols, rows in ((80, 24), (6, 1), (200, 60)):
                p.set_size(cols, rows)
                p.pump(0.004)
        random.seed(1)
        for _ in range(100):
            p.set_size(random.randint(1, 300), random.randint(1, 100))
            p.pump(0.004)
        running = p.alive()
        p.set_size(100, 30)
        good = p.shows(READY)
        p.send(b'\x0c')
        p.pump(0.3)
        t.ok(running and good and re.search(READY, p.screen.text()) is not None, 'resize storm: no crash, clean screen',
             p.screen.text())
        p.send(b'q')
        t.ok(p.wait() == 0 and not p.screen.unknown, 'and quits', f'{p.status} {p.screen.unknown}')


def repaint(t):
    """What small steps have painted is what a whole repaint paints."""
    with top('--interval', '1h', cols=120, rows=40) as p:
        p.shows(READY)
        p.pump(0.6)
        for keys in (b'\x1b[B', b'\x1b[B', b'\x1b[6~', b'M', b't', b't', b'?', b'\x1b', b'K', b'P'):
            p.send(keys)
            p.pump(0.1)
        stepwise = p.screen.text()
        p.send(b'\x0c')
        p.pump(0.3)
        whole = p.screen.text()
        differ = [(a, b) for a, b in zip(stepwise.splitlines()[1:], whole.splitlines()[1:]) if a != b]
        t.ok(not differ, 'small updates leave what a whole repaint shows', differ)
        p.send(b'q')
        t.ok(p.wait() == 0, 'and quits')


def keys(t):
    """Every key once, in every order that a cat finds; then it still quits."""
    random.seed(2)
    pool = [bytes([c]) for c in range(32, 127) if c not in b'qkra'] + [
        b'\x1b[A', b'\x1b[B', b'\x1b[C', b'\x1b[D', b'\x1b[5~', b'\x1b[6~', b'\x1b[H', b'\x1b[F', b'\x1bOP',
        b'\x1bOQ', b'\x1bOR', b'\x1bOS', b'\x1b[15~', b'\x1b[17~', b'\r', b'\t', b'\x7f', b'\x1b', b'\xc3\xa9', b'\xff',
        b'\x1b[<0;5;5M', b'\x1b[<64;5;5M', b'\x1b[<65;200;100M', b'\x1b[<0;60;24M', b'\x0c']
    with top('--interval', '100ms', cols=90, rows=30) as p:
        p.shows(READY)
        for _ in range(600):
            p.send(random.choice(pool))
            p.pump(0.002)
        running = p.alive()
        for _ in range(4):
            p.send(b'\x1b')
            p.pump(0.1)
        p.send(b'\x03')
        t.ok(running and p.wait() == 0, '600 random keys', f'{running} {p.status}')


def mouse(t):
    with top(cols=120, rows=40) as p:
        p.shows(READY)
        t.ok({1000, 1006} <= p.screen.mouse, 'mouse is asked for', p.screen.mouse)
        p.pump(0.5)
        where = p.screen.find(' PID') or p.screen.find('PID')

        def pids():
            y = where[1]
            end = where[0] + (4 if p.screen.line(y)[where[0]] == ' ' else 3)
            found = [re.search(r'(\d+)$', ''.join(p.screen.cell[k][:end])) for k in range(y + 1, p.screen.rows - 1)]
            return [int(m.group(1)) for m in found if m]

        if not t.ok(where, 'PID heading is there', p.screen.text()):
            return
        x, y = where
        p.send(b'\x1b[<0;%d;%dM\x1b[<0;%d;%dm' % (x + 3, y + 1, x + 3, y + 1))
        good = p.until(lambda: len(pids()) > 1 and (pids() == sorted(pids()) or pids() == sorted(pids())[::-1]), 5)
        t.ok(good, 'a click on PID sorts by it', pids())
        first = pids()
        p.send(b'\x1b[<0;%d;%dM\x1b[<0;%d;%dm' % (x + 3, y + 1, x + 3, y + 1))
        good = p.until(lambda: len(pids()) > 1 and (pids() == sorted(pids())[::-1]) == (first == sorted(first)), 5)
        t.ok(good, 'and once more the other way round', (first, pids()))
    with top('--no-mouse') as p:
        p.shows(READY)
        t.ok(not p.screen.mouse, '--no-mouse', p.screen.mouse)


def wheel(t):
    sleepers = [subprocess.Popen(['sleep', '600']) for _ in range(60)]
    try:
        with top('--sort', 'pid', cols=100, rows=24) as p:
            p.shows(READY)
            p.pump(0.5)
            before = p.screen.text()
            for _ in range(20):
                p.send(b'\x1b[<65;10;20M')
            p.pump(0.6)
            moved = p.screen.text()
            place = p.screen.find('PID')
            y = place[1] if place else 0
            t.ok(before.splitlines()[y + 1:-1] != moved.splitlines()[y + 1:-1], 'wheel scrolls the list', moved)
    finally:
        for s in sleepers:
            s.kill()
            s.wait()


HOSTILE = b'\x1b]0;x\x07e\x1b[2J'


def hostile(t):
    """A process whose name and arguments are sequences."""
    pid = os.fork()
    if pid == 0:
        libc = ctypes.CDLL(None)
        libc.prctl(15, HOSTILE, 0, 0, 0)
        time.sleep(600)
        os._exit(0)
    other = subprocess.Popen([HOSTILE + b'\xc2\x9b31mzz\xe2\x80\xae', b'600', HOSTILE, b'\x9b5n\xff'],
                             executable=b'/bin/sleep', stderr=subprocess.DEVNULL)
    linked = subprocess.Popen([HOSTILE, '-c', 'import time; time.sleep(600)'], executable=sys.executable)
    try:
        for mode, typed in (('list', b''), ('tree', b't'), ('filter', b'\\x\r'), ('search', b'/x\r'),
                            ('names', b'p')):
            with top('--sort', 'pid', cols=160, rows=200) as p:
                p.shows(READY)
                p.send(typed)
                p.pump(0.8)
                shown = p.screen.find(']0;x?') is not None
                raw = bytes(p.raw)
                bad = [b for b in (b'\x1b]0;x', b'\x07', b'\xc2\x9b', b'\xe2\x80\xae', b'\x9b5n', b'\x1b[2Je')
                       if b in raw]
                p.send(b'\x1b')
                p.pump(0.2)
                p.send(b'q')
                t.ok(shown and not bad and not p.screen.titles and p.wait() == 0,
                     f'text from strangers is harmless: {mode}', f'{shown} {bad} {p.screen.titles}\n{p.screen.text()}')
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        for child in (other, linked):
            child.kill()
            child.wait()


def options(t):
    for args, word in ((['--nonsense'], '--nonsense'), (['--interval', '7x'], '7x'), (['--interval', '1ms'], '1ms'),
                       (['--charset', 'morse'], 'morse'), (['--count', 'x'], 'count'), (['--sort', 'nonsense'], 'nonsense'),
                       (['--filter', 'cpu >'], '--filter'), (['--columns', 'pid,what'], 'what'),
                       (['word'], 'word'), (['--interval'], '--interval')):
        done = subprocess.run(TARE + args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=10,
                              check=False)
        lines = done.stderr.splitlines()
        t.ok(done.returncode == 2 and len(lines) == 1 and word in lines[0] and not done.stdout,
             f'{" ".join(args)}: one line, exit 2', f'{done.returncode} {done.stderr}')
    done = subprocess.run(TARE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=10, check=False)
    t.ok(done.returncode == 1 and len(done.stderr.splitlines()) == 1, 'without a terminal: one line, exit 1', done.stderr)


def kill(t):
    target = subprocess.Popen(['sleep', '4242'])
    try:
        with top('--filter', f'pid == {target.pid}', cols=120, rows=30) as p:
            p.shows(r'sleep 4242')
            p.send(b'\x1b[B')
            p.pump(0.2)
            p.send(b'k')
            p.pump(0.2)
            p.send(b'\r')
            p.pump(0.2)
            p.send(b'y')
            p.pump(0.2)
            p.send(b'\r')
            ended = p.until(lambda: target.poll() is not None, 3)
            t.ok(ended and target.returncode == -signal.SIGTERM, 'k sends SIGTERM to the selected process',
                 f'{target.returncode}\n{p.screen.text()}')
    finally:
        if target.poll() is None:
            target.kill()
            target.wait()


def keep(t):
    """What is changed is there the next time, and only what is changed; a broken file is no reason to stop."""
    with tempfile.TemporaryDirectory() as home:
        env = {'XDG_CONFIG_HOME': home}
        file = os.path.join(home, 'tare', 'toprc')

        def run(send, *options, look=READY):
            with top(*options, env=env, cols=100, rows=30) as p:
                seen = p.shows(look)
                screen = p.screen.text()
                for key in send:
                    p.send(key)
                    p.pump(0.2)
                p.send(b'q')
                p.wait()
                return seen, screen

        run([b'\x1b[B'], '--sort', 'pid')
        t.ok(not os.path.exists(file), 'a run that changes nothing writes nothing')
        run([b'C', b'v', b' ', b'[', b'\x1b', b'M'], '--tree')
        text = open(file, encoding='utf-8').read() if os.path.exists(file) else ''
        t.ok('sort = memory' in text and 'tree = no' in text and 'user virtual resident' in text and
             os.stat(file).st_mode & 0o777 == 0o600, 'what was changed is kept, options are not', text)
        seen, screen = run([], look=r'USER +VIRT +RES.*MEM%▼')
        t.ok(seen, 'and is there the next time', screen)
        seen, screen = run([], '--columns', 'pid,threads,cmdline', '--sort', 'pid', look='PID▲ +THR COMMAND')
        t.ok(seen, 'options win', screen)
        for name, content in (('words', b'[top]\ncolumns = pid nonsense\n'), ('bytes', bytes(range(256)) * 40)):
            with open(file, 'wb') as f:
                f.write(content)
            seen, screen = run([], look=r'tare/toprc')
            shown, screen2 = run([], look=r'PID USER +RES S +CPU%▼')
            kept = open(file, 'rb').read() == content
            t.ok(seen and shown and kept, f'{name} in the file: a message, the defaults, the file as it was',
                 screen + screen2)


def threads(t):
    with top(cols=100, rows=30) as p:
        p.shows(READY)
        p.send(b'H')
        t.ok(p.shows(r'no threads here|TID '), 'H: threads, or that there are none', p.screen.text())
        p.send(b'G')
        t.ok(p.shows(r'PROCS|TASKS') and p.shows(r'sums by user'), 'G: groups', p.screen.text())
        p.send(b'q')
        t.ok(p.wait() == 0, 'and quits')


Tap().run([sizes, storm, repaint, keys, mouse, wheel, hostile, options, kill, keep, threads])
