#!/usr/bin/env python3
"""No more rights than needed: an unprivileged user who has only what loading BPF programs takes.

usage: rights_test.py TARE
"""
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

UID = 54321  # nobody's: it needs no entry anywhere
USER = ['setpriv', f'--reuid={UID}', f'--regid={UID}', '--clear-groups']
NONE = [*USER, '--inh-caps=-all', '--bounding-set=-all']
LOADS = [*USER, '--inh-caps=-all,+bpf,+perfmon', '--ambient-caps=-all,+bpf,+perfmon', '--bounding-set=-all,+bpf,+perfmon']
CAP_BPF = 1 << 39
IO = ['io_read_bytes_per_second', 'io_written_bytes_per_second']
DISK = ['disk_read_bytes_per_second', 'disk_written_bytes_per_second']
number = 0


def say(ok, name, why='', skip=None):
    global number
    number += 1
    print(f"{'ok' if ok or skip else 'not ok'} {number} - {name}" + (f' # SKIP {skip}' if skip else ''), flush=True)
    if why and not ok:
        print('# ' + why.replace('\n', '\n# '))


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, timeout=60)


class Load:
    """A process of root's and one of the user's that write all the time, and start others that end."""

    def __init__(self, directory):
        self.pids = {}
        self.running = []
        for who, prefix in (('root', []), ('user', USER)):
            ends = f'{directory}/{who}ends'
            shutil.copy('/bin/sleep', ends)
            script = f'echo $$; while :; do echo x > /dev/null; {ends} 0.01; done'
            p = subprocess.Popen([*prefix, 'sh', '-c', script], stdout=subprocess.PIPE, text=True)
            self.running.append(p)
            self.pids[who] = int(p.stdout.readline())

    def close(self):
        for p in self.running:
            p.kill()
            p.wait()
            p.stdout.close()


def frame(tare, prefix, scan):
    """A frame of processes and of what ended: the second one, before which there was time for both."""
    done = run(*prefix, tare, 'snapshot', '--json', '--scan', scan, '--interval', '700ms', '--count', '2',
               '--include', 'process,exited')
    if done.returncode:
        raise RuntimeError(f'exit status {done.returncode}: {done.stderr}')
    return json.loads(done.stdout.splitlines()[-1])


def missing(row, columns):
    """Those that are not null for want of rights."""
    return [c for c in columns if row[c] is not None or row['reasons'].get(c) != 'permission']


def given(row, columns):
    """Those that have no value."""
    return [c for c in columns if row[c] is None]


def check_rows(shown, pids, scan):
    rows = {r['pid']: r for r in shown['tables']['process']['rows']}
    for who in ('root', 'user'):
        if pids[who] not in rows:
            say(False, f'{scan}: the row of {who}', f'{pids[who]} is not there')
            return
    columns = [*IO, *DISK, 'files']
    wrong = missing(rows[pids['root']], columns)
    say(not wrong, f"{scan}: another user's I/O and files need rights", f'{wrong} of {rows[pids["root"]]}')
    wrong = given(rows[pids['user']], columns)
    say(not wrong and rows[pids['user']]['io_written_bytes_per_second'] > 0 and rows[pids['user']]['files'] >= 3,
        f"{scan}: one's own have values", f'{wrong} of {rows[pids["user"]]}')
    # what everybody may know of everybody
    wrong = given(rows[pids['root']], ['cpu_percent', 'resident_bytes', 'threads', 'user', 'command', 'cmdline'])
    say(not wrong, f"{scan}: another user's CPU time and memory have values", f'{wrong} of {rows[pids["root"]]}')


def check_exited(shown):
    rows = {r['name']: r for r in shown['tables']['exited']['rows']}
    if not {'rootends', 'userends'} <= set(rows):
        say(False, 'bpf: ended processes of both', f'only {sorted(rows)}')
        return
    say(not missing(rows['rootends'], DISK) and not given(rows['rootends'], ['exits_per_second', 'cpu_percent']),
        "bpf: another user's ended processes without their I/O", str(rows['rootends']))
    say(not given(rows['userends'], [*DISK, 'exits_per_second', 'cpu_percent']), "bpf: one's own ended processes with it",
        str(rows['userends']))


def capabilities(pid):
    """[(thread, set, mask)] of all its threads."""
    found = []
    for path in glob.glob(f'/proc/{pid}/task/*/status'):
        with open(path, encoding='ascii', errors='replace') as f:
            fields = dict(line.rstrip('\n').split(':', 1) for line in f if ':' in line)
        found += [(path.split('/')[4], name, int(fields[name], 16)) for name in ('CapEff', 'CapPrm')]
    return found


def check_given_up(tare, name, prefix, want):
    """want: what of both sets is there once processes are looked at."""
    p = subprocess.Popen([*prefix, tare, 'snapshot', '--json', '--scan', 'bpf', '--interval', '300ms', '--include',
                          'process,filesystem'], stdout=subprocess.PIPE)
    try:
        line = p.stdout.readline()
        if not line:
            say(False, name, 'no frame')
            return
        # between two passes: where the kernel asks for it, one capability is raised during each
        samples = []
        for _ in range(5):
            time.sleep(0.13)
            samples.append(capabilities(p.pid))
    finally:
        p.send_signal(signal.SIGKILL)
        p.wait()
        p.stdout.close()
    wrong = [f'thread {tid} has {which} {mask:x}' for s in samples for tid, which, mask in s if not want(which, mask)]
    threads = max(len(s) // 2 for s in samples)
    say(threads > 1 and not wrong, name, f'{threads} threads; ' + ', '.join(wrong[:4]))


def needs_it_each_pass():
    """Before 6.4 a walk over the tasks takes CAP_BPF where unprivileged BPF is switched off."""
    release = tuple(int(x) for x in os.uname().release.split('-')[0].split('.')[:2])
    try:
        with open('/proc/sys/kernel/unprivileged_bpf_disabled', encoding='ascii') as f:
            return release < (6, 4) and f.read().strip() != '0'
    except OSError:
        return False


def check_without(tare):
    """No capabilities at all."""
    for command in (['snapshot', '--scan', 'bpf', '--window', '100ms', '--include', 'process', '--json'],
                    ['doctor', '--scan', 'bpf']):
        done = run(*NONE, tare, *command)
        say(done.returncode == 1 and 'CAP_BPF' in done.stderr and 'CAP_PERFMON' in done.stderr and not done.stdout,
            f'{command[0]} --scan bpf without the capabilities names them',
            f'exit status {done.returncode}: {done.stderr}{done.stdout[:200]}')
    done = run(*NONE, tare, 'doctor', '--scan', 'auto', '--json')
    found = json.loads(done.stdout)
    process = [s for s in found['sources'] if s['source'] == 'process'][0]
    named = [f for f in process['findings'] if 'CAP_BPF' in f['why'] and f['reason'] == 'permission' and f['fix']]
    say(found['scan'] == 'procfs' and named, 'doctor says why not by BPF, and what helps', str(process))


def checks(tare, directory):
    load = Load(directory)
    try:
        probe = run(tare, 'snapshot', '--scan', 'bpf', '--window', '50ms', '--include', 'process')
        if probe.returncode:
            say(True, 'with CAP_BPF and CAP_PERFMON only', skip='no BPF here: ' + probe.stderr.strip())
        else:
            shown = frame(tare, LOADS, 'bpf')
            check_rows(shown, load.pids, 'bpf')
            check_exited(shown)
            kept = CAP_BPF if needs_it_each_pass() else 0
            check_given_up(tare, 'capabilities are given up once the programs are loaded', LOADS,
                           lambda which, mask: mask & ~kept == 0)
            check_given_up(tare, "root's others stay", [],
                           lambda which, mask: not mask & (CAP_BPF & ~kept | 1 << 38) and mask & 1 << 19)
        check_without(tare)
        check_rows(frame(tare, NONE, 'auto'), load.pids, 'auto without capabilities')
    finally:
        load.close()


def main():
    tare = sys.argv[1]
    if os.geteuid():
        say(True, 'rights of an unprivileged user', skip='needs root')
    elif not shutil.which('setpriv'):
        say(True, 'rights of an unprivileged user', skip='needs setpriv')
    else:
        # where the user may run it, wherever it was built
        with tempfile.TemporaryDirectory(prefix='tare-test-') as directory:
            os.chmod(directory, 0o755)
            copy = shutil.copy(tare, directory + '/tare')
            os.chmod(copy, 0o755)
            checks(copy, directory)
    print(f'1..{number}')


if __name__ == '__main__':
    main()
