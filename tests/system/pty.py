"""Runs a program in a pseudo-terminal of a given size, with a small model of a VT100/xterm screen. Standard
library only. Used by the system tests; not a test itself."""
import fcntl
import os
import re
import select
import signal
import struct
import tempfile
import termios
import time
import unicodedata


def width(c):
    if unicodedata.category(c) in ('Mn', 'Me', 'Cf'):
        return 0
    return 2 if unicodedata.east_asian_width(c) in 'WF' else 1


class Screen:
    """What a terminal would show. unknown keeps the sequences that are not understood."""

    TOKEN = re.compile(
        r'\x1b\[([<-?]?)([0-9;:]*)([ -/]*)([@-~])|\x1b\](.*?)(?:\x07|\x1b\\)|\x1b([ -/]*)([0-~])|([\x00-\x1f\x7f])'
        r'|([^\x00-\x1f\x7f]+)', re.S)

    def __init__(self, cols, rows):
        self.unknown = []
        self.titles = []
        self.alternate = False
        self.mouse = set()
        self.cursor = True
        self.left = b''
        self.resize(cols, rows)

    def resize(self, cols, rows):
        self.cols, self.rows = max(cols, 1), max(rows, 1)
        self.first_row, self.last_row = 0, self.rows - 1
        self.clear()

    def clear(self):
        self.cell = [[' '] * self.cols for _ in range(self.rows)]
        self.attr = [[''] * self.cols for _ in range(self.rows)]
        self.x = self.y = 0
        self.sgr = ''
        self.last = ' '

    def text(self):
        return '\n'.join(''.join(row).rstrip() for row in self.cell)

    def line(self, y):
        return ''.join(self.cell[y]).rstrip()

    def find(self, word):
        """Column and row of the first place that shows word, or None."""
        for y in range(self.rows):
            x = ''.join(c or '\0' for c in self.cell[y]).find(word)
            if x >= 0:
                return x, y
        return None

    def feed(self, data):
        data = self.left + data
        # a character or sequence that is cut waits for its rest
        cut = len(data)
        escape = data.rfind(b'\x1b')
        if escape >= 0 and len(data) - escape < 200 and not re.match(
                rb'\x1b(\[[<-?]?[0-9;:]*[ -/]*[@-~]|\].*?(\x07|\x1b\\)|[ -/]*[0-Z\\^-~])', data[escape:], re.S):
            cut = escape
        else:
            for back in range(1, min(4, len(data)) + 1):
                b = data[-back]
                if b >= 0xc0:
                    need = 2 if b < 0xe0 else 3 if b < 0xf0 else 4
                    cut = len(data) - back if need > back else len(data)
                    break
                if b < 0x80:
                    break
        self.left = data[cut:]
        for m in self.TOKEN.finditer(data[:cut].decode('utf-8', 'replace')):
            mark, numbers, between, final, title, _, esc, control, text = m.groups()
            if text:
                for c in text:
                    self.put(c)
            elif control:
                self.control(control)
            elif final:
                self.csi(mark, numbers, between, final)
            elif title is not None:
                self.titles.append(title)
            elif esc == 'M':
                self.up()

    def put(self, c):
        w = width(c)
        if w == 0:
            return
        if self.x + w > self.cols:
            self.x = 0
            self.down()
        self.cell[self.y][self.x] = c
        self.attr[self.y][self.x] = self.sgr
        if w == 2 and self.x + 1 < self.cols:
            self.cell[self.y][self.x + 1] = ''
        self.x += w
        self.last = c

    def scroll(self, top, n):
        """Rows top to the end of the region up by n (down by -n); blank ones come in."""
        for kept, blank in ((self.cell, ' '), (self.attr, '')):
            part = kept[top:self.last_row + 1]
            fresh = [[blank] * self.cols for _ in range(min(abs(n), len(part)))]
            part = part[n:] + fresh if n > 0 else fresh + part[:len(part) + n if len(part) + n > 0 else 0]
            kept[top:self.last_row + 1] = part

    def down(self):
        if self.y == self.last_row:
            self.scroll(self.first_row, 1)
        elif self.y < self.rows - 1:
            self.y += 1

    def up(self):
        if self.y == self.first_row:
            self.scroll(self.first_row, -1)
        elif self.y:
            self.y -= 1

    def control(self, c):
        self.x = min(self.x, self.cols - 1)
        if c == '\r':
            self.x = 0
        elif c in '\n\v\f':
            self.down()
        elif c == '\b':
            self.x = max(self.x - 1, 0)
        elif c == '\t':
            self.x = min((self.x // 8 + 1) * 8, self.cols - 1)

    def csi(self, mark, numbers, between, final):
        v = [int(n) if n.isdigit() else 0 for n in numbers.split(';')]
        n = max(v[0], 1)
        if mark == '?':
            for mode in v:
                if mode in (47, 1047, 1049):
                    self.alternate = final == 'h'
                    self.clear()
                elif mode in (1000, 1002, 1003, 1006):
                    (self.mouse.add if final == 'h' else self.mouse.discard)(mode)
                elif mode == 25:
                    self.cursor = final == 'h'
            return
        if mark or between:
            return
        if final != 'm':
            self.x = min(self.x, self.cols - 1)
        blank = [' '] * self.cols
        row, attr = self.cell[self.y], self.attr[self.y]
        if final in 'Hf':
            self.y = min(n, self.rows) - 1
            self.x = min(max(v[1], 1) if len(v) > 1 else 1, self.cols) - 1
        elif final == 'A':
            self.y = max(self.y - n, 0)
        elif final in 'Be':
            self.y = min(self.y + n, self.rows - 1)
        elif final in 'Ca':
            self.x = min(self.x + n, self.cols - 1)
        elif final == 'D':
            self.x = max(self.x - n, 0)
        elif final in 'G`':
            self.x = min(n, self.cols) - 1
        elif final == 'd':
            self.y = min(n, self.rows) - 1
        elif final == 'Z':
            for _ in range(n):
                self.x = max((self.x - 1) // 8 * 8, 0)
        elif final == 'X':
            row[self.x:self.x + n] = blank[self.x:self.x + n]
            attr[self.x:self.x + n] = [''] * len(attr[self.x:self.x + n])
        elif final == 'K':
            a, b = {0: (self.x, self.cols), 1: (0, self.x + 1), 2: (0, self.cols)}[v[0]]
            row[a:b] = blank[a:b]
            attr[a:b] = [''] * (b - a)
        elif final == 'J':
            if v[0] == 2:
                self.cell = [[' '] * self.cols for _ in range(self.rows)]
                self.attr = [[''] * self.cols for _ in range(self.rows)]
            else:
                a, b = (self.y + 1, self.rows) if v[0] == 0 else (0, self.y)
                for y in range(a, b):
                    self.cell[y], self.attr[y] = [' '] * self.cols, [''] * self.cols
                self.csi('', str(v[0]), '', 'K')
        elif final == '@':
            row[self.x:] = (blank[:n] + row[self.x:])[:self.cols - self.x]
            attr[self.x:] = ([''] * n + attr[self.x:])[:self.cols - self.x]
        elif final == 'P':
            row[self.x:] = (row[self.x + n:] + blank)[:self.cols - self.x]
            attr[self.x:] = (attr[self.x + n:] + [''] * self.cols)[:self.cols - self.x]
        elif final == 'r':
            self.first_row = n - 1
            self.last_row = min(v[1] if len(v) > 1 and v[1] else self.rows, self.rows) - 1
            self.x = self.y = 0
        elif final in 'ST':
            self.scroll(self.first_row, n if final == 'S' else -n)
        elif final in 'LM' and self.first_row <= self.y <= self.last_row:
            self.scroll(self.y, n if final == 'M' else -n)
            self.x = 0
        elif final == 'b':
            for _ in range(n):
                self.put(self.last)
        elif final == 'm':
            self.sgr = '' if numbers in ('', '0') else self.sgr + ';' + numbers
        elif final not in 'tlh':
            self.unknown.append((mark, numbers, final))


class Pty:
    """A program in a terminal of its own, as leader of its session."""

    def __init__(self, argv, cols=80, rows=24, env=None, stdin=None):
        self.master, slave = os.openpty()
        self.raw = bytearray()
        self.screen = Screen(cols, rows)
        self.set_size(cols, rows)
        self.before = termios.tcgetattr(slave)
        self.tty = os.ttyname(slave)
        self.keep = slave  # so that modes can be looked at after the end
        self.status = None
        base = {k: v for k, v in os.environ.items() if k not in ('LANG', 'LANGUAGE', 'NO_COLOR', 'COLUMNS', 'LINES')
                and not k.startswith('LC_')}
        # what a program keeps for its user stays here, and is gone after the test
        self.config = tempfile.TemporaryDirectory()
        base.update({'TERM': 'xterm-256color', 'LC_ALL': 'C.UTF-8', 'XDG_CONFIG_HOME': self.config.name})
        base.update(env or {})
        base = {k: v for k, v in base.items() if v is not None}
        err_in, err_out = os.pipe()
        self.err_fd = err_in
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.setsid()
                fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
                os.dup2(slave if stdin is None else os.open(stdin, os.O_RDONLY), 0)
                os.dup2(slave, 1)
                os.dup2(err_out, 2)
                for fd in (slave, self.master, err_in, err_out):
                    if fd > 2:
                        os.close(fd)
                os.execvpe(argv[0], argv, base)
            finally:
                os._exit(127)
        os.close(err_out)
        os.set_blocking(self.master, False)

    def set_size(self, cols, rows):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack('HHHH', rows, cols, 0, 0))
        if (max(cols, 1), max(rows, 1)) != (self.screen.cols, self.screen.rows):
            self.screen.resize(cols, rows)

    def send(self, data):
        os.write(self.master, data.encode() if isinstance(data, str) else data)

    def pump(self, seconds):
        """Take in output for so long."""
        self.until(lambda: False, seconds)

    def until(self, condition, seconds=10):
        """Take in output until condition() holds; says whether it did."""
        end = time.monotonic() + seconds
        while not condition():
            left = end - time.monotonic()
            if left <= 0:
                return False
            if select.select([self.master], [], [], min(left, 0.05))[0]:
                try:
                    data = os.read(self.master, 65536)
                except OSError:
                    data = b''
                self.raw += data
                self.screen.feed(data)
        return True

    def shows(self, pattern, seconds=10):
        return self.until(lambda: re.search(pattern, self.screen.text()) is not None, seconds)

    def poll(self, options=0):
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG | options)
            if pid and not os.WIFSTOPPED(status) and not os.WIFCONTINUED(status):
                self.status = status
            elif pid:
                return status
        return self.status

    def alive(self):
        return self.poll() is None

    def wait(self, seconds=10):
        """Exit status (negative: signal), None when it does not end."""
        self.until(lambda: self.poll() is not None, seconds)
        self.pump(0.05)
        return None if self.status is None else os.waitstatus_to_exitcode(self.status)

    def modes(self):
        return termios.tcgetattr(self.keep)

    def errors(self):
        """What it said on stderr; only after its end."""
        out = b''
        while True:
            data = os.read(self.err_fd, 65536)
            if not data:
                return out.decode('utf-8', 'replace')
            out += data

    def close(self):
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)
            os.kill(self.pid, signal.SIGCONT)
            os.waitpid(self.pid, 0)
            self.status = 9
        for fd in (self.master, self.keep, self.err_fd):
            os.close(fd)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Tap:
    """Results in the TAP protocol."""

    def __init__(self):
        self.n = 0

    def ok(self, good, name, why=''):
        self.n += 1
        print(f"{'ok' if good else 'not ok'} {self.n} - {name}", flush=True)
        if not good and why:
            print('\n'.join('# ' + line for line in str(why).splitlines()), flush=True)
        return good

    def skip(self, name, reason):
        self.n += 1
        print(f'ok {self.n} - {name} # SKIP {reason}', flush=True)

    def run(self, tests):
        for test in tests:
            try:
                test(self)
            except Exception as e:  # a broken test is a failed one
                self.ok(False, test.__name__, repr(e))
        print(f'1..{self.n}', flush=True)
