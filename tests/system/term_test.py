#!/usr/bin/env python3
"""The terminal is as it was after every way out; locales, colours and terminal types. TAP.

usage: term_test.py TARE
"""
import os
import re
import signal
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from pty import Pty, Tap  # noqa: E402 (ours, beside this file)

TARE = [os.path.abspath(sys.argv[1]), 'top']
READY = r'(?i)command'


def top(*options, **settings):
    return Pty(TARE + list(options), **settings)


def restored(p):
    s = p.screen
    if p.modes() != p.before:
        return f'terminal modes: {p.modes()} instead of {p.before}'
    if s.alternate:
        return 'alternate screen not left'
    if s.mouse:
        return f'mouse modes {s.mouse} on'
    if not s.cursor:
        return 'cursor hidden'
    return ''


def ways_out(t):
    ways = [('q', b'q', None, 0), ('F10', b'\x1b[21~', None, 0), ('Ctrl-C', b'\x03', None, 0)]
    ways += [(s.name, None, s, 0) for s in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)]
    ways += [(s.name, None, s, -s) for s in (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE)]
    for name, keys, sig, status in ways:
        with top() as p:
            drawn = p.shows(READY)
            inside = p.screen.alternate
            if keys:
                p.send(keys)
            else:
                os.kill(p.pid, sig)
            got = p.wait()
            why = restored(p)
            t.ok(drawn and inside and got == status and not why, f'{name}: exit {status}, terminal restored',
                 f'drawn {drawn}, inside {inside}, status {got}; {why}\n{p.screen.text()}')


def count(t):
    with top('--count', '2', '--interval', '100ms') as p:
        got = p.wait()
        t.ok(got == 0 and not restored(p), '--count ends by itself', f'{got} {restored(p)}')


def first_frame(t):
    start = time.monotonic()
    with top('--interval', '1h', '--count', '1') as p:
        got = p.wait()
        took = time.monotonic() - start
        t.ok(got == 0 and took < 3, 'first frame does not wait for the interval', f'{got} {took}')


def hang_up(t):
    with top() as p:
        p.shows(READY)
        os.close(p.master)
        os.close(p.keep)
        end = time.monotonic() + 10
        while p.alive() and time.monotonic() < end:
            time.sleep(0.02)
        status = p.status
        errors = p.errors() if status is not None else ''
        p.master, p.keep = os.open('/dev/null', os.O_RDWR), os.open('/dev/null', os.O_RDWR)
        t.ok(status == 0 and not errors, 'terminal gone: quits quietly', f'{status} {errors}')


def suspend(t):
    # a session leader's group is orphaned and cannot be stopped from within: run it under a shell
    shell = 'exec 2>/dev/tty; set -m; "$0" top --interval 200ms; echo "[stopped]"; read x; fg >/dev/null; echo "[done $?]"'
    with Pty(['bash', '-c', shell, TARE[0]]) as p:
        drawn = p.shows(READY)
        p.send(b'\x1a')
        stopped = p.shows(r'\[stopped\]')
        why = 'alternate screen' if p.screen.alternate else 'mouse' if p.screen.mouse else ''
        same = p.modes() == p.before
        t.ok(drawn and stopped and same and not why, 'Ctrl-Z gives the terminal back',
             f'{drawn} {stopped} {same} {why}\n{p.screen.text()}')
        p.send(b'\n')
        t.ok(p.shows(READY) and p.screen.alternate, 'and fg takes it again', p.screen.text())
        p.send(b'q')
        t.ok(p.shows(r'\[done 0\]') and not p.screen.alternate, 'and q leaves it', p.screen.text())


def stopped_terminal(t):
    with top('--interval', '100ms') as p:
        p.shows(READY)
        # nobody reads: the kernel's buffer fills; it must still obey
        for _ in range(40):
            p.send(b'\x0c')
            time.sleep(0.02)
        time.sleep(0.5)
        os.kill(p.pid, signal.SIGTERM)
        end = time.monotonic() + 5
        while p.alive() and time.monotonic() < end:
            time.sleep(0.02)
        t.ok(p.status == 0, 'a terminal that takes nothing does not hold it', f'{p.status}')


def key_source(t):
    with top(stdin='/dev/null') as p:
        drawn = p.shows(READY)
        p.send(b'q')
        got = p.wait()
        t.ok(drawn and got == 0 and not restored(p), 'stdin not a terminal: keys from /dev/tty', f'{drawn} {got}')


def locales(t):
    cases = [('LC_ALL=C', {'LC_ALL': 'C'}), ('LANG empty', {'LC_ALL': None, 'LANG': ''}),
             ('locale not installed', {'LC_ALL': None, 'LANG': 'xx_YY.UTF-8'})]
    for name, env in cases:
        for charset in ('auto', 'braille'):
            with top('--interval', '100ms', '--charset', charset, env=env) as p:
                drawn = p.shows(READY)
                p.send(b'?')
                p.pump(0.3)
                p.send(b'\x1btq')
                got = p.wait()
                high = [b for b in p.raw if b > 126]
                t.ok(drawn and got == 0 and not high, f'{name}, charset {charset}: only ASCII',
                     f'{drawn} {got} {high[:9]}')


SGR = re.compile(rb'\x1b\[([0-9;:]*)m')


def colours(raw):
    found = set()
    for m in SGR.finditer(raw):
        v = [int(n or 0) for n in re.split(rb'[;:]', m.group(1))]
        found |= {n for n in v if 30 <= n <= 49 or 90 <= n <= 107}
    return found


def no_color(t):
    for term in ('xterm-256color', 'xterm', 'linux', 'screen'):
        for value, wanted in (('1', False), ('', True), (None, True)):
            if term != 'xterm-256color' and value is None:
                continue
            with top('--interval', '100ms', env={'NO_COLOR': value, 'TERM': term}) as p:
                drawn = p.shows(READY)
                p.send(b'q')
                got = p.wait()
                found = colours(bytes(p.raw))
                t.ok(drawn and got == 0 and bool(found) == wanted, f'TERM={term} NO_COLOR={value}',
                     f'{drawn} {got} {found}')
                if wanted:
                    t.ok(not found & {40, 100} and not re.search(rb'48[;:]5[;:](0|16)\b', bytes(p.raw)),
                         f'TERM={term}: the ground is the terminal\'s own', found)


def terminal_types(t):
    for name, env in (('no such description', 'xterm-kitty-x'), ('unset', None), ('empty', ''), ('dumb', 'dumb')):
        with top(env={'TERM': env, 'TERMINFO': '/nonexistent'} if env and env != 'dumb' else {'TERM': env}) as p:
            got = p.wait()
            text = p.errors()
            good = got == 1 and len(text.splitlines()) == 1 and 'TERM' in text and not p.raw and p.modes() == p.before
            t.ok(good, f'TERM {name}: one line, exit 1, terminal untouched', f'{got} {text} {bytes(p.raw)}')
    for env in ('vt100', 'vt220', 'linux', 'screen', 'tmux-256color', 'xterm', 'rxvt', 'ansi'):
        with top('--count', '3', '--interval', '100ms', env={'TERM': env}) as p:
            got = p.wait()
            t.ok(got == 0 and p.modes() == p.before, f'TERM={env} works', f'{got} {p.errors()}')


Tap().run([ways_out, count, first_frame, hang_up, suspend, stopped_terminal, key_source, locales, no_color,
           terminal_types])
