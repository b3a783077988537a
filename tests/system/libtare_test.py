#!/usr/bin/env python3
"""The installed library, as its users have it: header, symbols, pkg-config, the examples by shared and static library.

usage: libtare_test.py MESON BUILD SOURCE
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

MESON, BUILD, SOURCE = sys.argv[1:4]
CC = os.environ.get('CC', 'cc')
number = 0
failed = 0


def check(name, fn):
    global number, failed
    number += 1
    try:
        why = fn()
    except AssertionError as e:
        why, failed = str(e), failed + 1
        print('# ' + why.replace('\n', '\n# '))
        print(f'not ok {number} - {name}', flush=True)
        return
    print(f'ok {number} - {name}' + (f' # SKIP {why}' if why else ''), flush=True)


def run(*command, **more):
    got = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=120, **more)
    assert got.returncode == 0, ' '.join(command) + '\n' + got.stdout
    return got.stdout


class Installed:
    """A DESTDIR with everything in it."""

    def __init__(self, directory):
        self.dir = directory
        run(MESON, 'install', '-C', BUILD, '--no-rebuild', '--quiet', env={**os.environ, 'DESTDIR': directory})
        self.libdir = os.path.dirname(self.find('libtare.a'))
        self.include = os.path.dirname(self.find('tare.h'))
        self.env = {**os.environ, 'PKG_CONFIG_PATH': os.path.join(self.libdir, 'pkgconfig'),
                    'PKG_CONFIG_SYSROOT_DIR': directory, 'LD_LIBRARY_PATH': self.libdir}

    def find(self, name):
        found = [os.path.join(d, name) for d, _, files in os.walk(self.dir) if name in files and 'completions' not in d]
        assert found, f'{name} is not installed'
        return found[0]

    def pkg_config(self, *arguments):
        return run('pkg-config', *arguments, 'tare', env=self.env).split()

    def build(self, source, out, static):
        flags = self.pkg_config('--cflags', '--libs', *(['--static'] if static else []))
        if static:
            flags = [os.path.join(self.libdir, 'libtare.a') if f == '-ltare' else f for f in flags]
        run(CC, '-std=c11', '-D_DEFAULT_SOURCE', '-Wall', '-Wextra', '-Werror', '-o', out, source, *flags, env=self.env)
        return out


def declared():
    with open(os.path.join(SOURCE, 'include/tare.h'), encoding='utf-8') as f:
        text = re.sub(r'/\*.*?\*/', '', f.read(), flags=re.S)
    return set(re.findall(r'^(?:int|void|long|size_t|const char \*) ?(tare_\w+)\(', text, flags=re.M))


def test_symbols(lib):
    """What the header declares, no more and no less, by version; the soname."""
    names = declared()
    assert len(names) > 20, names
    out = run('nm', '-D', '--defined-only', os.path.join(lib.libdir, 'libtare.so'))
    shown = {line.split()[2] for line in out.splitlines() if line.split()[1] != 'A'}
    assert shown == {name + '@@TARE_0' for name in names}, shown ^ {name + '@@TARE_0' for name in names}
    out = run('nm', '-g', '--defined-only', os.path.join(lib.libdir, 'libtare.a'))
    shown = {line.split()[2] for line in out.splitlines() if len(line.split()) == 3}
    assert shown == names, shown ^ names
    assert 'Library soname: [libtare.so.0]' in run('readelf', '-d', os.path.join(lib.libdir, 'libtare.so'))


def test_header(lib):
    """By itself, in C11 without extensions and in C++."""
    include = '#include <tare.h>\nint main(void) { return TARE_WANT_USUAL == 0; }\n'
    for compiler, language, standard in ((CC, 'c', 'c11'), ('c++', 'c++', 'c++11')):
        if not shutil.which(compiler.split()[0]):
            return f'no {compiler}'
        run(*compiler.split(), '-x', language, f'-std={standard}', '-pedantic-errors', '-Wall', '-Wextra', '-Werror', '-fsyntax-only',
            '-I', lib.include, '-', input=include)
    return None


def test_no_gpu_library(lib):
    """Neither program nor library names one of a driver: they start where none is installed."""
    for name in ('tare', 'libtare.so.0'):
        needed = re.findall(r'NEEDED\).*\[(.*)\]', run('readelf', '-d', lib.find(name)))
        assert needed, f'{name} needs nothing?'
        for library in needed:
            assert re.match(r'(libc|libm|libbpf|libelf|libz|libncursesw|libtinfo|libjansson|libinih|ld-linux.*)\.so', library), \
                f'{name} needs {library}'
    assert re.search(r'\d', run(lib.find('tare'), '--version'))
    assert 'no GPU' in run(lib.build(os.path.join(SOURCE, 'examples/gpu.c'), lib.dir + '/gpu', False), env=lib.env,
                           cwd=lib.dir) or os.path.exists('/sys/class/drm/card0')


def busy():
    return subprocess.Popen(['sh', '-c', 'while :; do :; done'])


def test_processes(lib, static):
    """A process that runs all the time stands at the top."""
    program = lib.build(os.path.join(SOURCE, 'examples/processes.c'), lib.dir + '/processes', static)
    p = busy()
    try:
        for _ in range(3):  # another may be as busy for a while
            lines = run(program, env=lib.env).splitlines()
            assert lines[0].split() == ['PID', 'USER', 'CPU%', 'RES', 'KiB', 'NAME'], lines
            mine = [line.split() for line in lines[1:] if int(line.split()[0]) == p.pid]
            if mine and float(mine[0][2]) > 30:
                break
        assert mine, lines
        assert 30 < float(mine[0][2]) < 105, mine
        assert mine[0][4] == os.path.basename(os.readlink(f'/proc/{p.pid}/exe')), mine
        with open(f'/proc/{p.pid}/statm', encoding='ascii') as f:
            resident = int(f.read().split()[1]) * os.sysconf('SC_PAGE_SIZE') // 1024
        assert abs(int(mine[0][3]) - resident) < 512, (mine, resident)
    finally:
        p.kill()
        p.wait()


def test_watch(lib, static):
    """Until it ends, and then what it took; a zombie has ended."""
    program = lib.build(os.path.join(SOURCE, 'examples/watch.c'), lib.dir + '/watch', static)
    for reaped in (True, False):
        p = busy()
        watch = subprocess.Popen([program, str(p.pid)], stdout=subprocess.PIPE, text=True, env=lib.env)
        time.sleep(2)
        p.kill()
        if reaped:
            p.wait()
        out, _ = watch.communicate(timeout=20)
        p.wait()
        lines = out.splitlines()
        assert watch.returncode == 0 and len(lines) >= 3, out
        cpu = [float(re.match(r'cpu +([\d.]+) %', line).group(1)) for line in lines[:-1]]
        assert 20 < max(cpu) < 110, out
        took = float(re.match(r'ended after ([\d.]+) s of CPU time', lines[-1]).group(1))
        assert 0.4 < took < 2.6, out
    got = subprocess.run([program, '4194304'], stdout=subprocess.PIPE, text=True, check=False, timeout=20, env=lib.env)
    assert got.stdout == 'there is no such process\n', got


def test_manual(lib):
    """Every function has a page that can be found by its name."""
    for name in sorted(declared()):
        with open(lib.find(name + '.3'), encoding='utf-8') as f:
            text = f.read()
        if text.startswith('.so '):
            with open(lib.find(os.path.basename(text.split()[1])), encoding='utf-8') as f:
                text = f.read()
        assert re.search(rf'\b{name}\b', text), f'the page of {name} does not name it'


def main():
    directory = tempfile.mkdtemp(prefix='tare-lib-')
    try:
        lib = Installed(directory)
        check('the symbols are those of the header', lambda: test_symbols(lib))
        check('the header compiles by itself in C11 and C++', lambda: test_header(lib))
        check('no library of a GPU is needed', lambda: test_no_gpu_library(lib))
        for static in (False, True):
            how = 'static' if static else 'shared'
            check(f'example processes, {how}', lambda s=static: test_processes(lib, s))
            check(f'example watch, {how}', lambda s=static: test_watch(lib, s))
        check('each function has a manual page', lambda: test_manual(lib))
    finally:
        shutil.rmtree(directory)
    print(f'1..{number}')
    sys.exit(1 if failed else 0)


main()
