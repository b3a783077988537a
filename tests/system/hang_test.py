#!/usr/bin/env python3
"""A mount whose server has stopped: the tick goes on, nothing piles up, and tare ends when told. TAP.

usage: hang_test.py TARE

The server is this test: it opens /dev/fuse, mounts it and never answers, which is what a stopped FUSE server or
a dead network mount looks like to statfs.
"""
import ctypes
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

TARE = os.path.abspath(sys.argv[1])
MNT_DETACH = 2
results = []


def say(ok, name, note=''):
    results.append(ok)
    if not ok and note:
        print('# ' + str(note).replace('\n', '\n# '))
    print(f"{'ok' if ok else 'not ok'} {len(results)} - {name}", flush=True)


def count(pid, what):
    return len(os.listdir(f'/proc/{pid}/{what}'))


def stream():
    """Frames on time, threads and descriptors constant, an end on SIGINT."""
    p = subprocess.Popen([TARE, 'snapshot', '--json', '--window', '200ms', '--interval', '200ms',
                          '--include', 'cpu,memory,filesystem,self'], stdout=subprocess.PIPE, text=True)
    frames, seen, begin = [], [], time.monotonic()
    for _ in range(12):
        frames.append(json.loads(p.stdout.readline()))
        seen.append((count(p.pid, 'task'), count(p.pid, 'fd')))
    took = time.monotonic() - begin
    say(took < 12 * 0.2 + 2.0, f'12 frames of 200 ms in {took:.1f} s')
    say(all(f['tables']['cpu']['fresh'] for f in frames), 'every frame has a fresh CPU reading')
    say(len(set(seen[2:])) == 1, f'threads and descriptors stay the same: {sorted(set(seen))}', seen)
    last = frames[-1]['tables']['filesystem']
    say(not last['fresh'], 'file systems are not called fresh', last)
    begin = time.monotonic()
    p.send_signal(signal.SIGINT)
    try:
        p.wait(3)
        say(True, f'ends {time.monotonic() - begin:.2f} s after SIGINT')
    except subprocess.TimeoutExpired:
        p.kill()
        say(False, 'ends after SIGINT')


def doctor():
    begin = time.monotonic()
    done = subprocess.run([TARE, 'doctor'], stdout=subprocess.PIPE, text=True, timeout=20, check=False)
    say(done.returncode == 0 and time.monotonic() - begin < 5, 'doctor ends')
    say('has not come back' in done.stdout, 'doctor says that a reading does not come back', done.stdout)


def main():
    if os.geteuid() != 0 or not os.path.exists('/dev/fuse'):
        print('1..0 # SKIP needs root and /dev/fuse')
        return 0
    libc = ctypes.CDLL(None, use_errno=True)
    folder = tempfile.mkdtemp(prefix='tare-hang-')
    fd = os.open('/dev/fuse', os.O_RDWR)
    options = f'fd={fd},rootmode=40000,user_id=0,group_id=0'.encode()
    if libc.mount(b'hang', folder.encode(), b'fuse.hang', 0, options):
        print(f'1..0 # SKIP mount: {os.strerror(ctypes.get_errno())}')
        os.rmdir(folder)
        return 0
    try:
        stream()
        doctor()
    finally:
        os.close(fd)  # the connection ends: whoever waits gets an error
        libc.umount2(folder.encode(), MNT_DETACH)
        os.rmdir(folder)
    print(f'1..{len(results)}')
    return not all(results)


if __name__ == '__main__':
    sys.exit(main())
