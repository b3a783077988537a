"""tare check: recordings that are whole, cut, damaged, or none."""
import os
import shutil
import tempfile

from case import TARE, case, done, run

CORPUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'fuzz', 'corpus', 'trace_check')
FOLDER = tempfile.TemporaryDirectory()


def copy(name):
    return shutil.copy(os.path.join(CORPUS, name), os.path.join(FOLDER.name, name))


def check(*words):
    r = run(TARE, 'check', *words)
    return r.returncode, r.stdout.decode(), r.stderr.decode()


def whole():
    code, out, err = check(copy('small'))
    assert code == 0 and not err, (code, err)
    assert '5 packets, 153 bytes: whole' in out, out
    assert 'cpu1       3 events, 7 lost in 1 gap\n' in out, out
    assert 'boot monotonic real' in out and 'Linux 6.18 x86_64' in out and 'recorder   tare' in out, out
    assert 'did not come' not in out


def cut():
    path = copy('cut')
    size = os.path.getsize(path)
    code, out, _ = check(path)
    assert code == 1 and '--repair' in out and 'did not come to its end' in out, out
    assert 'losses not counted to the end' in out, out
    assert os.path.getsize(path) == size
    code, out, _ = check('--repair', path)
    assert code == 0 and 'cut off' in out, out
    code, out, _ = check(path)
    assert code == 0 and '4 packets' in out and 'whole' in out, out


def damaged():
    path = copy('small')
    with open(path, 'r+b') as f:
        data = f.read()
        # a length within a packet that leads out of it
        at = data.index(b'name') - 1
        f.seek(at)
        f.write(b'\x7f')
    code, out, _ = check(path)
    assert code == 1 and '1 packets are damaged' in out, out


def every_cut():
    """Wherever it is cut, it is said and can be mended."""
    with open(copy('small'), 'rb') as f:
        data = f.read()
    path = os.path.join(FOLDER.name, 'part')
    for n in range(1, len(data)):
        with open(path, 'wb') as f:
            f.write(data[:n])
        code, out, err = check('--repair', path)
        assert (code == 0 and os.path.getsize(path) <= n) or (code == 1 and 'no trace' in err), (n, out, err)


def none():
    for name, text in (('/nonexistent/file', 'No such file'), (FOLDER.name, 'directory'), ('/etc/passwd', 'no trace'),
                       ('/dev/null', 'seek')):
        code, out, err = check(name)
        assert code == 1 and not out and err.count('\n') == 1 and text in err and name in err, (name, code, err)
    empty = os.path.join(FOLDER.name, 'empty')
    with open(empty, 'wb'):
        pass
    assert check(empty)[0] == 1
    assert check()[0] == 2 and 'FILE' in check()[2]
    assert check('--nonsense', empty)[0] == 2 and check(empty, 'another')[0] == 2


def strangers():
    """What a file says of its machine does not reach the terminal as it is."""
    path = copy('small')
    with open(path, 'r+b') as f:
        data = f.read()
        f.seek(data.index(b'x86_64'))
        f.write(b'\x1b[31m\n')
    code, out, _ = check(path)
    assert code == 0 and '\x1b' not in out and '?[31m?' in out, out


for name, fn in (('whole', whole), ('a cut tail', cut), ('damaged', damaged), ('cut anywhere', every_cut), ('no trace', none),
                 ('texts from strangers', strangers)):
    case(name, fn)
done()
