#!/usr/bin/env python3
"""Group V: NVIDIA's GPUs through a stand-in for libnvidia-ml.so.1 that a script directs (tests/fakes/nvml.c)."""
import json
import os
import sys
import tempfile

from case import TARE, case, done, fixture, near, read_strict, rows, run
from gpu_machine import base, nvidia, process

LIBRARY = os.path.abspath(sys.argv[2])
ONE, TWO = '0000:01:00.0', '0000:02:00.0'
DEVICE = f'device {ONE} Fake A100\n'
MEMORY = 'set memory_v2 85899345920 42949672960\n'


class Machine:
    """A made-up machine with the stand-in; look() is one snapshot of two moments."""

    def __init__(self, script, *cards, files=None, later=None):
        self.cards = cards or (nvidia(ONE),)
        files = {**base(), **(files or {})}
        for card in self.cards:
            files.update(card)
        self.root = fixture(files, {**files, **(later or {})})
        self.script = os.path.join(str(self.root), 'script')
        self.log = os.path.join(str(self.root), 'log')
        with open(self.script, 'w', encoding='ascii') as f:
            f.write(script)

    def run(self, *args, library=LIBRARY, **env):
        return run(TARE, *args, '--root', str(self.root), '--nvml', library,
                   env={**os.environ, 'FAKE_NVML': self.script, 'FAKE_NVML_LOG': self.log, **env})

    def look(self, *args, **env):
        r = self.run('snapshot', '--json', *args, **env)
        assert r.returncode == 0, r.stderr
        return read_strict(r.stdout.splitlines()[-1])

    def calls(self):
        if not os.path.exists(self.log):
            return []
        with open(self.log, encoding='ascii') as f:
            return f.read().splitlines()


def gpus(frame):
    return rows(frame, 'gpu', 'device')


def clients(frame):
    return rows(frame, 'gpu_client', 'pid')


def everything():
    m = Machine(DEVICE + MEMORY + 'set utilization 98 41\nset encoder 10 100\nset decoder 20 100\nset temperature 64\n'
                'set power 688000\nset power_limit 700000\nset energy 1000\nset clock 1620\nset clock_most 1980\n'
                'set memory_clock 2619\nset fan 30\nset link_generation 3\nset link_width 8\nset link_generation_most 5\n'
                'set link_width_most 16\nset slowed 4\nset violation 310 20 1 2\nset ecc 5 6\nset remapped 1 2 0 0\n'
                'set fields 71 1000 2000\nprocess compute 1001 1048576\nsample 1001 55 10 1 2\n',
                files=process(1001, 'train.py'), later=process(1001, 'train.py', ticks=30))
    frame = m.look()
    row = gpus(frame)[ONE]
    assert row['name'] == 'Fake A100' and row['number'] == '0' and row['state'] == 'active' and row['kind'] == 'card'
    near(row['busy_percent'], 98)
    near(row['memory_busy_percent'], 41)
    near(row['encoder_percent'], 10)
    near(row['decoder_percent'], 20)
    assert row['memory_used_bytes'] == 40 << 30 and row['memory_total_bytes'] == 80 << 30
    near(row['memory_percent'], 50)
    near(row['temperature_celsius'], 64)
    near(row['memory_temperature_celsius'], 71)
    near(row['power_watts'], 0.0)  # by the energy counter, which stood still
    near(row['power_cap_watts'], 700)
    near(row['clock_hertz'], 1620e6)
    near(row['clock_most_hertz'], 1980e6)
    near(row['memory_clock_hertz'], 2619e6)
    near(row['fan_percent'], 30)
    assert row['link'] == 'gen3x8<gen5x16' and row['slowed'] == 'power-cap' and row['health'] == 'ok'
    near(row['slowed_power_percent'], 0)
    near(row['ecc_uncorrected_per_second'], 0)
    assert row['retired'] == 3 and row['processes'] == 1
    client = clients(frame)[1001]
    assert client['command'] == 'train.py' and client['kind'] == 'C' and client['gpu'] == '0'
    near(client['busy_percent'], 55)
    near(client['compute_percent'], 55)
    near(client['media_percent'], 3)
    got = rows(frame, 'process', 'pid')[1001]
    near(got['gpu_busy_percent'], 55)
    assert got['gpu_memory_bytes'] == 1 << 20 and got['gpu'] == '0'


def v02():
    m = Machine(DEVICE + MEMORY + 'process compute 1001 -1\n', files={**process(1001, 'a'), **process(1002, 'b')})
    frame = m.look()
    assert clients(frame)[1001]['memory_bytes'] is None
    assert rows(frame, 'process', 'pid')[1002]['gpu_memory_bytes'] is None


def v03():
    m = Machine(DEVICE + 'error memory 3\nerror memory_v2 3\nprocess compute 1001 1073741824\nprocess compute 1002 2147483648\n',
                files={**process(1001, 'a'), **process(1002, 'b'), 'proc/meminfo': 'MemTotal: 134217728 kB\nMemAvailable: 1000 kB\n'})
    row = gpus(m.look())[ONE]
    assert row['memory_total_bytes'] == 128 << 30 and row['memory_shared'] == 1
    assert row['memory_used_bytes'] == 3 << 30


def v05():
    for stride in (24, 32, 40):
        m = Machine(DEVICE + MEMORY + f'stride {stride}\nprocess compute 1001 104857600\nprocess compute 1002 209715200\n',
                    files={**process(1001, 'a'), **process(1002, 'b')})
        got = clients(m.look())
        assert set(got) == {1001, 1002}, (stride, got)
        assert got[1001]['memory_bytes'] == 100 << 20 and got[1002]['memory_bytes'] == 200 << 20


def v06():
    m = Machine(DEVICE + MEMORY + 'process compute 1001 1048576\nprocess compute 1002 1048576\n'
                'sample 1001 40 1 0 0\nsample 1001 60 1 0 0\ngarbage 98\n', files={**process(1001, 'a'), **process(1002, 'b')})
    near(clients(m.look())[1001]['busy_percent'], 50)
    m = Machine(DEVICE + MEMORY + 'process compute 1001 1048576\nsample 1001 4026531840 1 0 0\n', files=process(1001, 'a'))
    row = clients(m.look())[1001]
    assert row['busy_percent'] is None and row['reasons']['busy_percent'] == 'invalid'
    m = Machine(DEVICE + MEMORY + 'set utilization 4026531840 0\nset samples_idle 1\n')
    frame = m.look()
    assert not clients(frame)
    assert gpus(frame)[ONE]['busy_percent'] is None and gpus(frame)[ONE]['reasons']['busy_percent'] == 'invalid'


def v08():
    inside = {'proc/self/ns/pid': ('link', 'pid:[4026532000]'), **process(28290, 'another')}
    m = Machine(DEVICE + MEMORY + 'process compute 28290 1048576\n', files=inside)
    frame = m.look()
    row = frame['tables']['gpu_client']['rows'][0]
    assert row['command'] == 'pid 28290 (other namespace)' and row['pid'] is None
    assert rows(frame, 'process', 'pid')[28290]['gpu_memory_bytes'] is None


def v09():
    m = Machine(DEVICE + MEMORY + 'process compute 7 104857600\nprocess graphics 7 104857600\nprocess compute 8 209715200\n',
                files={**process(7, 'a'), **process(8, 'b')})
    frame = m.look()
    got = clients(frame)
    assert got[7]['kind'] == 'G+C' and got[7]['memory_bytes'] == 100 << 20
    assert sum(row['memory_bytes'] for row in frame['tables']['gpu_client']['rows']) == 300 << 20


def v11():
    m = Machine(DEVICE + MEMORY + 'lost\n' + f'device {TWO} B\n' + MEMORY + 'set utilization 12 3\n', nvidia(ONE), nvidia(TWO))
    got = gpus(m.look())
    assert got[ONE]['state'] == 'lost' and got[ONE]['memory_used_bytes'] is None
    assert got[ONE]['reasons']['memory_used_bytes'] == 'lost'
    assert got[TWO]['state'] == 'active'
    near(got[TWO]['busy_percent'], 12)


def v12():
    row = gpus(Machine(DEVICE + MEMORY + 'set power 40000\nerror power_limit 3\n').look())[ONE]
    near(row['power_watts'], 40)
    assert row['power_cap_watts'] is None


def asleep():
    """Nothing is loaded while all sleep; a sleeping one is left out when another is awake."""
    m = Machine(DEVICE + MEMORY, nvidia(ONE, 'suspended'))
    row = gpus(m.look())[ONE]
    assert m.calls() == [], m.calls()
    assert row['state'] == 'asleep' and row['reasons']['busy_percent'] == 'asleep'
    m = Machine(DEVICE + MEMORY + f'device {TWO} B\n' + MEMORY + 'set utilization 5 5\n', nvidia(ONE, 'suspended'), nvidia(TWO))
    got = gpus(m.look())
    assert got[ONE]['state'] == 'asleep' and got[TWO]['state'] == 'active'
    calls = m.calls()
    assert 'init_no_attach' in calls and 'init' not in calls
    assert f'by_pci {TWO}' in calls and f'by_pci {ONE}' not in calls and 'by_index' not in calls


def parts():
    m = Machine(DEVICE + MEMORY + 'set utilization 31 5\npart 1 0\nset memory_v2 42000000000 41000000000\n'
                'process compute 1001 41000000000\nsample 1001 31 0 0 0\npart 2 0\nset memory_v2 42000000000 1000\n',
                files=process(1001, 'vllm'))
    frame = m.look()
    got = rows(frame, 'gpu', 'number')
    assert set(got) == {'0', '0:0', '0:1'}, set(got)
    assert got['0:0']['parent'] == '0' and got['0:0']['kind'] == 'mig'
    assert got['0:0']['memory_used_bytes'] == 41000000000 and got['0:1']['memory_used_bytes'] == 1000
    assert clients(frame)[1001]['gpu'] == '0:0'
    assert rows(frame, 'process', 'pid')[1001]['gpu'] == '0:0'
    assert frame['tables']['gpu']['total']['memory_total_bytes'] == 80 << 30


def vgpus():
    got = rows(Machine(DEVICE + MEMORY + 'vgpu 77 25 4096\n').look(), 'gpu', 'number')
    assert got['0:v0']['kind'] == 'vgpu' and got['0:v0']['memory_used_bytes'] == 4096
    near(got['0:v0']['busy_percent'], 25)


def xid():
    row = gpus(Machine(DEVICE + MEMORY + 'xid 79\n').look())[ONE]
    assert row['xid'] == 79 and row['health'] == 'XID 79'


def bad_driver():
    m = Machine('init 18\n' + DEVICE)
    row = gpus(m.look())[ONE]
    assert row['state'] == 'active' and row['busy_percent'] is None
    said = m.run('doctor').stdout.decode()
    assert 'Driver/library version mismatch' in said, said


def no_library():
    m = Machine(DEVICE)
    row = gpus(json.loads(m.run('snapshot', '--json', library='/nonexistent/libnvidia-ml.so.1').stdout))[ONE]
    assert row['busy_percent'] is None
    said = m.run('doctor', library='/nonexistent/libnvidia-ml.so.1').stdout.decode()
    assert 'libnvidia-ml' in said, said


def found_by_the_loader():
    """By its name alone, as on a machine with the driver: through the loader's own search."""
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(LIBRARY, os.path.join(folder, 'libnvidia-ml.so.1'))
        m = Machine(DEVICE + MEMORY + 'set utilization 7 7\n')
        r = m.run('snapshot', '--json', library='libnvidia-ml.so.1', LD_LIBRARY_PATH=folder)
        near(gpus(json.loads(r.stdout))[ONE]['busy_percent'], 7)


def hangs():
    """A call that does not come back: the rest is there in time, the device is late."""
    m = Machine(DEVICE + MEMORY + 'hang utilization 30000\nset utilization 1 1\n', files=process(5, 'a'))
    frame = m.look()
    assert rows(frame, 'process', 'pid')[5]['command'] == 'a'


def links_nothing():
    out = run('readelf', '-d', TARE).stdout.decode()
    needed = [line.split('[')[1].rstrip(']\n') for line in out.splitlines() if 'NEEDED' in line]
    assert needed and not any(word in name for name in needed for word in ('nvidia', 'drm', 'rocm', 'amdgpu', 'GL', 'vulkan')), needed


for name, fn in (('every value of a device', everything), ('V02 unknown memory', v02), ('V03 unified memory', v03),
                 ('V05 the size of an entry', v05), ('V06 garbage samples', v06), ('V08 pids of another namespace', v08),
                 ('V09 a process in both lists', v09), ('V11 a GPU that is lost', v11), ('V12 no invented power limit', v12),
                 ('a sleeping GPU is left asleep', asleep), ('MIG parts', parts), ('virtual machines', vgpus), ('XID', xid),
                 ('a driver that does not fit', bad_driver), ('no library', no_library),
                 ('found by the loader', found_by_the_loader), ('a call that hangs', hangs), ('nothing is linked', links_nothing)):
    case(name, fn)
done()
