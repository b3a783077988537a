#!/usr/bin/env python3
"""tools/mkfixture: what it records can be read by tare, and --anonymise leaves no name of this machine's programs. TAP.

usage: mkfixture_test.py TARE MKFIXTURE
"""
import ctypes
import json
import os
import subprocess
import sys
import tempfile
import time

TARE, MKFIXTURE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
SECRET = b'secretname'
results = []


def say(ok, name, note=''):
    results.append(ok)
    if not ok and note:
        print('# ' + str(note).replace('\n', '\n# '))
    print(f"{'ok' if ok else 'not ok'} {len(results)} - {name}", flush=True)


def child(name, end=False):
    """A process called name: ended and not waited for (a zombie), or asleep."""
    pid = os.fork()
    if pid == 0:
        ctypes.CDLL(None).prctl(15, name, 0, 0, 0)
        if end:
            os._exit(0)
        time.sleep(120)
        os._exit(0)
    return pid


def places(folder):
    """Files, links and names below folder that hold SECRET."""
    found = []
    for at, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(at, name)
            if os.path.islink(path):
                held = os.readlink(path).encode()
            elif os.path.isfile(path):
                with open(path, 'rb') as f:
                    held = f.read()
            else:
                held = b''
            if SECRET in held or SECRET in name.encode():
                found.append(path)
    return found


def main():
    with tempfile.TemporaryDirectory() as work:
        program = os.path.join(work, 'secretname-program')
        with open('/bin/sleep', 'rb') as f, open(program, 'wb') as g:
            g.write(f.read())
        os.chmod(program, 0o755)
        asleep = subprocess.Popen([program, '120'])
        pids = [child(SECRET + b' zombie', end=True), child(SECRET + b')\n1 ('), child(SECRET)]
        hidden, plain = os.path.join(work, 'hidden'), os.path.join(work, 'plain')
        try:
            time.sleep(0.3)
            for folder, more in ((hidden, ['--anonymise']), (plain, [])):
                done = subprocess.run([MKFIXTURE, folder, '0.2', *more], stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, text=True, check=False)
                say(done.returncode == 0 and not done.stderr, f'records {" ".join(more)}', done.stderr)
            say(len(places(plain)) >= 4, 'without --anonymise the names are there to be found', places(plain))
            say(not places(hidden), 'with it no file, link or path has them', places(hidden))
            read = subprocess.run([TARE, '--root', hidden, 'snapshot', '--json', '--include', 'process,cpu,memory'],
                                  stdout=subprocess.PIPE, check=True)
            rows = {r['pid']: r for r in json.loads(read.stdout)['tables']['process']['rows']}
            say(rows[pids[0]]['state'] == 'Z' and rows[pids[0]]['command'] == f'program{pids[0]}',
                'a zombie is a program with a number', rows.get(pids[0]))
            say(all(rows[p]['command'] == f'program{p}' for p in pids[1:] + [asleep.pid]), 'so are the others')
        finally:
            asleep.kill()
            asleep.wait()
            for pid in pids:
                try:
                    os.kill(pid, 9)
                except ProcessLookupError:
                    pass
                os.waitpid(pid, 0)
    print(f'1..{len(results)}')
    return not all(results)


if __name__ == '__main__':
    sys.exit(main())
