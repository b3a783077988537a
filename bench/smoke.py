#!/usr/bin/env python3
"""Do the programs of bench/ run, and say what they should? Tiny counts: nothing is measured.

usage: smoke.py ladder LADDER SPAWN | smoke.py finds FINDS SPAWN | smoke.py exits EXITS | smoke.py processes BUILD. TAP on stdout.
"""
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def run(*cmd, code=0):
    done = subprocess.run(cmd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, timeout=100)
    assert done.returncode == code, f'{cmd}: exit {done.returncode}: {done.stderr}'
    return done


@contextlib.contextmanager
def crowd(spawn, processes, threads, *more):
    words = [str(word) for word in (processes, threads, *more)]
    child = subprocess.Popen([spawn, *words], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout.readline() == 'ready\n'
        yield
    finally:
        child.terminate()
        child.wait()


def ladder(program, spawn):
    def climb(*args):
        out = json.loads(run(program, '--json', *args).stdout)
        return {s['name']: dict(s, processes=out['processes']) for s in out['steps']}

    def every_step():
        with crowd(spawn, 40, 3):
            steps = climb('--paced', '0', '--hot', '2')
        assert {s['group'] for s in steps.values()} == set('abcdefghij'), steps.keys()
        for s in steps.values():
            assert s['processes'] >= 41, s
            assert s.get('absent') or s['hot_us'] > 0 and s['paced_us'] is None, s
            assert s.get('absent') or s['hot_ratio'] is None or s['hot_ratio'] > 0, s
            assert s.get('absent') or 'against' not in s or s['hot_ratio'] is not None, s
        assert 0.9 < steps['stat kept']['calls'] <= 1 < 2.9 < steps['stat by kept /proc']['calls'] <= 3
        assert steps['stat kept, every task/TID/stat']['count'] >= 120
        few, many = steps['getdents64, 1 KiB'], steps['getdents64, 128 KiB']
        assert few['count'] < many['count'] and few['calls'] > many['calls'], (few, many)

    def paced():
        step = climb('--paced', '1', '--hot', '0', '--only', 'c')
        assert list(step) == ['stat kept'] and step['stat kept']['paced_us'] > 0, step

    def filter_sees_sleepers():
        with crowd(spawn, 200, 1):
            steps = climb('--paced', '0', '--hot', '3', '--only', 'f')
        for name in ('schedstat, stat if moved', 'same, movers not asked again'):
            assert steps[name]['count'] < steps[name]['processes'] / 2, steps

    def few_descriptors():
        limit = "ulimit -n 80; exec \"$0\" \"$@\""
        with crowd(spawn, 100, 1):
            out = run('sh', '-c', limit, program, '--paced', '0', '--hot', '1', '--only', 'bc', '--json').stdout
        steps = {s['name']: s for s in json.loads(out)['steps']}
        assert 'open files' in steps['stat kept']['absent'], out
        assert steps['stat by kept /proc']['hot_us'] > 0, out

    def table_and_usage():
        assert 'parse the whole line' in run(program, '--paced', '0', '--hot', '1', '--only', 'h').stdout
        assert 'usage' in run(program, '--paced', '0', '--hot', '0', code=2).stderr

    return [every_step, paced, filter_sees_sleepers, few_descriptors, table_and_usage]


def finds(program, spawn):
    def found(scan):
        with crowd(spawn, 40, 1, 0, 25, 5):
            got = json.loads(run(program, '--scan', scan, '--paced', '0', '--hot', '6', '--json').stdout)
        assert got['processes'] >= 41 and got['finds'] >= 5 * 3, got
        assert got['hot']['without_ms'] > 0 < got['hot']['with_ms'], got
        assert got['allocations'] == [0, 0], got

    def procfs():
        found('procfs')

    def bpf():
        found('bpf')

    def usage():
        assert 'usage' in run(program, '--scan', 'nonsense', code=2).stderr

    return [procfs, bpf, usage]


def exits(program):
    def burn():
        text = run(program, '--exits', '50', '--burn-us', '2000', '--seconds', '1').stdout
        ready, line = text.splitlines()
        got = json.loads(line)
        assert ready == 'ready' and got['made'] == got['reaped'] == 50, text
        assert got['user_ns'] + got['system_ns'] >= 50 * 2000000 * 0.9, text

    def sleep_until_stopped():
        child = subprocess.Popen([program, '--exits', '100', '--sleep-ms', '2'], stdout=subprocess.PIPE, text=True)
        assert child.stdout.readline() == 'ready\n'
        try:
            child.wait(0.5)
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGTERM)
        got = json.loads(child.communicate(timeout=20)[0])
        assert 0 < got['made'] == got['reaped'] and child.returncode == 0, got

    def usage():
        assert 'usage' in run(program, '--exits', '0', code=2).stderr

    return [burn, sleep_until_stopped, usage]


def processes(build):
    program = os.path.join(HERE, 'processes')
    tiny = ['--build', build, '--processes', '20', '--ticks', '3', '--paced', '0', '--seconds', '0', '--settle', '0.2']

    def counts():
        out = json.loads(run(sys.executable, program, *tiny, '--running', '100', '--rounds', '2', '--json').stdout)
        one, = out['crowds']
        got, = one['scanners']
        assert one['running_percent'] == 100 and got['processes'] >= 20, out
        assert got['first_ms'] > 0 and got['hot_ms'] > 0 and got['paced_ms'] is None, out
        if shutil.which('valgrind'):
            assert 50 < got['instructions_each'] < 1e6, out
        if shutil.which('strace'):
            assert 0 < got['syscalls_each'] < 50, out

    def scale():
        text = run(sys.executable, program, *tiny, '--running', '0', '--rounds', '0', '--scale').stdout
        assert '200' in text and 'hot' in text.split('microseconds')[1], text

    def refused():
        done = run(sys.executable, program, *tiny, '--running', '0', '--rounds', '0', '--scan', 'nonsense', code=1)
        assert 'skipped: scanner nonsense: ' in done.stderr, done.stderr

    return [counts, scale, refused]


def main():
    cases = {'ladder': ladder, 'finds': finds, 'exits': exits, 'processes': processes}[sys.argv[1]](*sys.argv[2:])
    bad = 0
    print(f'1..{len(cases)}')
    for i, case in enumerate(cases, 1):
        name = f'{sys.argv[1]}: {case.__name__}'
        try:
            case()
            print(f'ok {i} - {name}')
        except Exception as e:  # one fault is one failed line
            bad += 1
            print(f'not ok {i} - {name}\n# {type(e).__name__}: {str(e)[:600]}'.replace('\n', ' ').replace(' # ', '\n# '))
    return bad != 0


if __name__ == '__main__':
    sys.exit(main())
