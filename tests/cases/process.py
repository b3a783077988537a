#!/usr/bin/env python3
"""Group P: processes. Each case is a fault that users of other monitors met."""
import json

from case import TARE, case, done, fixture, moment, near, row, rows, run, snapshot

KTHREAD = 0x200000
MEMINFO = 'MemTotal:       16384000 kB\nMemFree:         8192000 kB\n'


def stat(pid, comm='app', state='S', ppid=1, flags=4194304, user=0, system=0, start=5000, pages=5000,
         threads=1, nice=0):
    comm = comm if isinstance(comm, bytes) else comm.encode()
    return b'%d (%s) %s %d 1 1 0 -1 %d 10 0 0 0 %d %d 0 0 20 %d %d 0 %d 204800000 %d ' % (
        pid, comm, state.encode(), ppid, flags, user, system, nice, threads, start, pages) + \
        b'18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0\n'


def machine(files, **more):
    return {'proc/meminfo': MEMINFO, 'etc/passwd': 'root:x:0:0:::\nanna:x:1000:1000:::\n', **files, **more}


def processes(t0, t1=None, *args):
    """Rows by pid of two moments (the second: the same again)."""
    with fixture(machine(t0), None if t1 is None else machine(t1)) as root:
        return rows(snapshot(TARE, root, '--include', 'process', *args), 'process', 'pid')


def text(files, *args):
    """What the table for people prints."""
    with fixture(machine(files), None) as root:
        done_ = run(TARE, 'snapshot', '--root', root, '--include', 'process', *args)
    assert done_.returncode == 0 and not done_.stderr, done_.stderr
    return done_.stdout


def p01():
    line = ('901 (Video New Job) S 1 901 901 0 -1 4194304 10 0 0 0 250 40 0 0 20 0 3 0 5000 204800000 5000 '
            '18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0\n')
    got = processes({'proc/901/stat': line})[901]
    assert got['command'] == 'Video New Job' and got['state'] == 'S' and got['ppid'] == 1
    near(got['time_seconds'], 2.9)
    assert got['threads'] == 3
    assert got['virtual_bytes'] == 204800000 and got['resident_bytes'] == 20480000
    near(got['started_age_seconds'], 101 - 50)
    near(got['memory_percent'], 20480000 / 16777216000 * 100, 1e-3)


def p01_shares():
    got = processes({'proc/9/stat': stat(9, 'a b', user=250, system=40)},
                    {'proc/9/stat': stat(9, 'a b', user=290, system=50)})[9]
    near(got['cpu_percent'], 50.0)
    near(got['user_cpu_percent'], 40.0)
    near(got['system_cpu_percent'], 10.0)


def p02():
    got = processes({'proc/77/stat': stat(77, '(sd-pam)', ppid=76),
                     'proc/78/stat': stat(78, 'a) b (c', state='R'),
                     'proc/79/stat': stat(79, 'x\n) Z 9 (y')})
    assert got[77]['command'] == '(sd-pam)' and got[77]['ppid'] == 76
    assert got[78]['command'] == 'a) b (c' and got[78]['state'] == 'R' and got[78]['ppid'] == 1
    assert got[79]['command'] == 'x\n) Z 9 (y' and got[79]['state'] == 'S'


def p04():
    got = processes({'proc/500/stat': stat(500, 'quiet'), 'proc/500/cmdline': ''})[500]
    assert got['kernel'] == 0 and got['command'] == 'quiet' and got['cmdline'] == ''
    assert b'quiet' in text({'proc/500/stat': stat(500, 'quiet'), 'proc/500/cmdline': ''})


def p05():
    files = {'proc/3/stat': stat(3, 'ksoftirqd/3', flags=KTHREAD | 64), 'proc/3/cmdline': '',
             'proc/4/stat': stat(4, 'jbd2/sdz9-8', flags=KTHREAD), 'proc/4/cmdline': ''}
    got = processes(files)
    assert got[3]['kernel'] == 1 and got[3]['command'] == 'ksoftirqd/3'
    assert got[4]['kernel'] == 1 and got[4]['command'] == 'jbd2/sdz9-8'
    out = text(files)
    assert b'ksoftirqd/3' in out and b'jbd2/sdz9-8' in out


def p07():
    got = processes({'proc/9/stat': stat(9), 'proc/9/cmdline': b'my title\0\0\0\0\0',
                     'proc/10/stat': stat(10), 'proc/10/cmdline': b'/bin/a\0-b\0c d\0'})
    assert got[9]['cmdline'] == 'my title'
    assert got[10]['cmdline'] == '/bin/a -b c d'


def p08():
    title = '/opt/x/app --type=r /*Exp/Default/ --tok=1'
    got = processes({
        'proc/9/stat': stat(9, 'render'), 'proc/9/cmdline': title, 'proc/9/exe': ('link', '/opt/x/app'),
        'proc/10/stat': stat(10, 'render'), 'proc/10/cmdline': title, 'proc/10/exe': ('link', 'errno:EACCES'),
        'proc/11/stat': stat(11, ''), 'proc/11/cmdline': title,
        'proc/12/stat': stat(12, 'old'), 'proc/12/exe': ('link', '/opt/x/gone (deleted)')})
    assert got[9]['command'] == 'app' and got[9]['cmdline'] == title
    assert got[10]['command'] == 'render'
    assert got[11]['command'] == 'app'
    assert got[12]['command'] == 'gone'


def plain(out):
    """No byte of out may steer a terminal; it is UTF-8."""
    for c in out.decode():
        assert c == '\n' or (ord(c) >= 0x20 and not 0x7f <= ord(c) < 0xa0), repr(c)


def p10():
    files = {'proc/9/stat': stat(9, b'\x1b[2J\x1b]0;x\x07'), 'proc/9/cmdline': '',
             'proc/10/stat': stat(10, b'ab\x9b31m\xff'), 'proc/10/cmdline': b''}
    out = text(files)
    plain(out)
    assert b'[2J' in out  # neutralised, not swallowed
    got = processes(files)
    assert got[9]['command'] == '\x1b[2J\x1b]0;x\x07'  # JSON escapes; the value is whole
    assert got[10]['command'] == 'ab\ufffd31m\ufffd'


def p11():
    files = {'proc/9/stat': stat(9), 'proc/9/cmdline': b'\x1b]52;c;QUJD\x07\0-x\0',
             'proc/10/stat': stat(10), 'proc/10/cmdline': b'\x9b31m\0',
             'proc/11/stat': stat(11), 'proc/11/cmdline': b'\xc2\x9b31m\x7f\0',
             'proc/12/stat': stat(12), 'proc/12/cmdline': 'a\u202eb\u2028c\0'.encode()}
    out = text(files)
    plain(out)
    assert '\u202e' not in out.decode() and '\u2028' not in out.decode()
    assert b'52;c;QUJD' in out
    assert len(out.splitlines()) == len(text({'proc/%d/stat' % i: stat(i) for i in range(9, 13)}).splitlines())
    plain(text(files, '--filter', 'cmdline ~ "QUJD"'))


def p13():
    gone = ('errno:ENOENT', 'errno:ESRCH', 'errno:read:ESRCH')
    files = {'proc/9/stat': stat(9), 'proc/9/cmdline': ('link', 'errno:read:ESRCH'),
             'proc/9/exe': ('link', 'errno:ESRCH'), 'proc/9/statm': ('link', 'errno:read:ESRCH'),
             'proc/9/status': ('link', 'errno:ENOENT'), 'proc/30/stat': stat(30), 'proc/31': None}
    for i, link in enumerate(gone):
        files[f'proc/{20 + i}/stat'] = ('link', link)
    got = processes(files)
    assert list(got) == [9, 30]
    assert got[9]['command'] == 'app' and got[9]['threads'] == 1
    for key in ('cmdline', 'shared_bytes', 'uid', 'user'):
        assert got[9][key] is None, key


def p13_between():
    t0 = {f'proc/{i}/stat': stat(i, user=100) for i in (9, 10, 11)}
    t1 = {'proc/9/stat': stat(9, user=150), 'proc/10/stat': ('link', 'errno:read:ESRCH'),
          'proc/12/stat': stat(12, user=5, start=10050)}
    got = processes(t0, t1)
    assert list(got) == [9, 12]
    near(got[9]['cpu_percent'], 50.0)
    near(got[12]['cpu_percent'], 5.0)  # born in the window: all its time is in it


def p14(files, why):
    files = machine(files)
    with fixture(files, None) as root:
        frame = snapshot(TARE, root, '--include', 'process')
        table = frame['tables']['process']
        assert [r['pid'] for r in table['rows']] == [1000]
        assert table['partial'] is True
        for args in ((), ('--json',)):
            out = run(TARE, 'doctor', '--root', root, *args)
            assert b'other processes' in out.stdout and b'hidden' in out.stdout, out.stdout
        found = [f for s in json.loads(out.stdout)['sources'] if s['source'] == 'process' for f in s['findings']]
        assert len(found) == 1 and why in found[0]['why'], found


def p14_whole():
    with fixture(machine({'proc/1/stat': stat(1)}), None) as root:
        assert snapshot(TARE, root, '--include', 'process')['tables']['process']['partial'] is False


def p16():
    with fixture(machine({'proc/9/stat': stat(9, start=10000), 'clock': moment(0, boot=599)}),
                 machine({'proc/9/stat': stat(9, start=10000), 'clock': moment(1, boot=600)})) as root:
        got = row(snapshot(TARE, root, '--include', 'process'), 'process')
    near(got['started_age_seconds'], 600.0)  # clocks of a fixture begin at 100 s


def reused_pid():
    got = processes({'proc/9/stat': stat(9, 'old', user=90000, start=100)},
                    {'proc/9/stat': stat(9, 'new', user=10, start=10090)})
    assert list(got) == [9] and got[9]['command'] == 'new'
    near(got[9]['cpu_percent'], 10.0)
    # and one that was there before but not seen: nothing is known of this window
    got = processes({'proc/8/stat': stat(8)}, {'proc/8/stat': stat(8), 'proc/9/stat': stat(9, user=10)})
    assert got[9]['cpu_percent'] is None and got[9]['reasons']['cpu_percent'] == 'first'


def users():
    got = processes({'proc/9/stat': stat(9), 'proc/9/status': 'Name:\tapp\nUid:\t0\t1000\t0\t0\n',
                     'proc/10/stat': stat(10), 'proc/10/status': 'Uid:\t4242\t4242\t4242\t4242\n'})
    assert got[9]['uid'] == 1000 and got[9]['user'] == 'anna'  # whose rights it has
    assert got[10]['uid'] == 4242 and got[10]['user'] == '4242'


case('P01 blanks in the name', p01)
case('P01 shares of the window', p01_shares)
case('P02 parentheses and newlines in the name', p02)
case('P04 an empty command line is no kernel thread', p04)
case('P05 names of kernel threads are whole', p05)
case('P07 trailing NULs of a title', p07)
case('P08 name of the program', p08)
case('P10 escape sequences in the name', p10)
case('P11 escape sequences in the command line', p11)
case('P13 files that go away while they are read', p13)
case('P13 processes that end between two readings', p13_between)
case('P14 hidepid=1', lambda: p14({'proc/1/stat': ('link', 'errno:EPERM'), 'proc/1000/stat': stat(1000)}, 'hidden'))
case('P14 hidepid=2', lambda: p14({
    'proc/self/mountinfo': '21 26 0:20 / /proc rw - proc proc rw,hidepid=invisible\n',
    'proc/1000/stat': stat(1000)}, 'hidepid=invisible'))
case('P14 nothing hidden', p14_whole)
case('P16 time since the start', p16)
case('a pid that is used again', reused_pid)
case('names of users', users)
done()
