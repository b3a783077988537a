#!/usr/bin/env python3
"""Group G: GPUs through DRM and accel, and S17 and S18. Each case is a fault that users of other monitors met."""
import os
import struct

from case import TARE, case, done, fixture, near, rows, run, snapshot
from gpu_machine import accel, base, drm, info, process

PDEV = '0000:03:00.0'


def look(t0, t1=None, *args):
    return snapshot(TARE, fixture(t0, t1), *args)


def clients(frame):
    return {(row['device'], row['client']): row for row in frame['tables']['gpu_client']['rows']}


def engines(frame):
    return {(row['pid'], row['engine']): row for row in frame['tables']['gpu_engine']['rows']}


def gpus(frame):
    return rows(frame, 'gpu', 'device')


def amdgpu(first, second, *, extra=None, pid=901, comm='game'):
    """Two moments of a machine with one card and one client, whose fdinfo is first and then second."""
    card = drm(1, PDEV, 'amdgpu', extra)
    return [{**base(), **card, **process(pid, comm, {7: ('dri/renderD129', text)}, ticks=ticks)}
            for ticks, text in ((10, first), (20, second))]


def g01():
    text = ('drm-driver:\tamdgpu\ndrm-client-id:\t41\ndrm-pdev:\t0000:03:00.0\ndrm-total-vram:\t300000 KiB\n'
            'drm-shared-vram:\t90000 KiB\ndrm-resident-vram:\t290000 KiB\ndrm-memory-vram:\t290000 KiB\n'
            'drm-memory-gtt: \t34000 KiB\ndrm-engine-gfx:\t10781000000 ns\n')
    # a card of its own: format 1 of gpu_metrics
    metrics = struct.pack('<HBB', 80, 1, 1) + b'\xff' * 76
    row = clients(look(*amdgpu(text, text, extra={'gpu_metrics': metrics})))[(PDEV, 41)]
    assert row['local_bytes'] == 290000 * 1024 and row['system_bytes'] == 34000 * 1024
    assert row['shared_bytes'] == 90000 * 1024
    assert row['memory_bytes'] == 290000 * 1024


def g03():
    text = info('amdgpu', 5, PDEV, memory_vram='6000 KiB', memory_gtt='25000000 KiB', engine_gfx='5 ns')
    metrics = struct.pack('<HBB', 128, 2, 2) + b'\xff' * 124
    row = clients(look(*amdgpu(text, text, extra={'gpu_metrics': metrics})))[(PDEV, 5)]
    assert row['memory_bytes'] == 25006000 * 1024
    assert row['local_bytes'] == 6000 * 1024 and row['system_bytes'] == 25000000 * 1024


def g04():
    names = {'gfx': ('gfx', 10), 'compute': ('compute', 20), 'dec': ('media', 30), 'enc_1': ('media', 5), 'foo': ('other', 7)}
    t0 = info('amdgpu', 1, PDEV) + ''.join(f'drm-engine-{n}:\t1000 ns\n' for n in names)
    t1 = info('amdgpu', 1, PDEV) + ''.join(f'drm-engine-{n}:\t{1000 + p * 10_000_000} ns\n' for n, (_, p) in names.items())
    frame = look(*amdgpu(t0, t1))
    got = engines(frame)
    for name, (group, percent) in names.items():
        near(got[(901, name)]['busy_percent'], percent)
        assert got[(901, name)]['class'] == group
    row = clients(frame)[(PDEV, 1)]
    near(row['gfx_percent'], 10, 1e-4)
    near(row['compute_percent'], 20, 1e-4)
    near(row['media_percent'], 35, 1e-4)
    near(row['other_percent'], 7, 1e-4)
    near(row['busy_percent'], 72, 1e-4)
    process_row = rows(frame, 'process', 'pid')[901]
    near(process_row['gpu_busy_percent'], 72, 1e-4)
    assert process_row['gpu'] == '0'
    near(gpus(frame)[PDEV]['busy_percent'], 30, 1e-4)


def g06():
    def moment(ns, ticks):
        text = info('i915', 41, '0000:00:02.0', engine_render=f'{ns} ns', resident_system='100 KiB')
        return {**base(), **drm(0, '0000:00:02.0', 'i915'),
                **process(4242, 'parent', {9: ('dri/renderD128', text), 10: ('dri/renderD128', text)}, start=4000, ticks=ticks),
                **process(4300, 'sleep', {9: ('dri/renderD128', text)}, ppid=4242, start=4100, ticks=ticks)}
    frame = look(moment(0, 1), moment(500_000_000, 2))
    found = frame['tables']['gpu_client']['rows']
    assert len(found) == 1, found
    assert found[0]['pid'] == 4242 and found[0]['holders'] == 2
    near(found[0]['busy_percent'], 50, 1e-4)
    got = rows(frame, 'process', 'pid')
    near(got[4242]['gpu_busy_percent'], 50, 1e-4)
    assert got[4300]['gpu_busy_percent'] is None and got[4300]['reasons']['gpu_busy_percent'] == 'no_client'
    assert got[4242]['gpu_memory_bytes'] == 100 * 1024
    near(gpus(frame)['0000:00:02.0']['busy_percent'], 50, 1e-4)


def g07():
    def text(pdev, ns):
        return info('i915', 7, pdev, engine_render=f'{ns} ns')

    def moment(a, b, ticks):
        return {**base(), **drm(0, '0000:00:02.0', 'i915'), **drm(1, '0000:08:00.0', 'i915'),
                **process(5, 'a', {3: ('dri/renderD128', text('0000:00:02.0', a)),
                                   4: ('dri/renderD129', text('0000:08:00.0', b))}, ticks=ticks)}
    got = clients(look(moment(0, 0, 1), moment(100_000_000, 200_000_000, 2)))
    near(got[('0000:00:02.0', 7)]['busy_percent'], 10, 1e-4)
    near(got[('0000:08:00.0', 7)]['busy_percent'], 20, 1e-4)

    def unnamed(ticks):  # without pdev the device is the node's
        return {**base(), **drm(0, '0000:00:02.0', 'i915'), **drm(1, '0000:08:00.0', 'i915'),
                **process(5, 'a', {3: ('dri/renderD128', info('i915', 7)), 4: ('dri/renderD129', info('i915', 7))}, ticks=ticks)}
    assert set(clients(look(unnamed(1), unnamed(2)))) == {('0000:00:02.0', 7), ('0000:08:00.0', 7)}


def g09():
    t0 = info('i915', 1, PDEV, engine_video='0 ns', engine_capacity_video='2')
    t1 = info('i915', 1, PDEV, engine_video='1500000000 ns', engine_capacity_video='2')
    near(engines(look(*amdgpu(t0, t1)))[(901, 'video')]['busy_percent'], 75)
    t0 = info('xe', 1, PDEV, cycles_vcs='1000', total_cycles_vcs='5000', engine_capacity_vcs='2')
    t1 = info('xe', 1, PDEV, cycles_vcs='3001000', total_cycles_vcs='2005000', engine_capacity_vcs='2')
    near(engines(look(*amdgpu(t0, t1)))[(901, 'vcs')]['busy_percent'], 75)
    for capacity in ({'engine_capacity_video': '0'}, {}):
        t0 = info('i915', 1, PDEV, engine_video='0 ns', **capacity)
        t1 = info('i915', 1, PDEV, engine_video='250000000 ns', **capacity)
        near(engines(look(*amdgpu(t0, t1)))[(901, 'video')]['busy_percent'], 25)


def g10():
    for value, wanted in (('3772 KiB', 3862528), ('0', 0), ('16 MiB', 16777216), ('1234', 1234), ('\t  8 KiB', 8192)):
        text = info('amdgpu', 1, PDEV, resident_vram=value)
        assert clients(look(*amdgpu(text, text)))[(PDEV, 1)]['local_bytes'] == wanted, value


def g12():
    def moment(ns, ticks):
        text = info('i915', 1, PDEV, engine_render=f'{ns} ns')
        return {**base(), **drm(1, PDEV, 'i915'), **process(5, 'a', {3: ('dri/renderD129', text)}, ticks=ticks)}
    root = fixture(moment(5000000000, 1), moment(4999000000, 2), moment(5500000000, 3))
    got = run(TARE, 'snapshot', '--json', '--root', str(root), '--interval', '1s').stdout.decode().splitlines()
    import json
    busy = [engines(json.loads(line))[(5, 'render')]['busy_percent'] for line in got]
    near(busy[0], 0)
    near(busy[1], 50)


def g13():
    text = info('panthor', 1, None, resident_memory='100 KiB')
    files = {**base(), **drm(0, '0000:01:00.0', 'panthor', {'profiling': '0\n'}),
             **process(5, 'a', {3: ('dri/renderD128', text)})}
    later = {**files, **process(5, 'a', {3: ('dri/renderD128', text)}, ticks=20)}
    root = fixture(files, later)
    frame = snapshot(TARE, root)
    row = frame['tables']['gpu_client']['rows'][0]
    assert row['busy_percent'] is None and row['memory_bytes'] == 102400
    said = run(TARE, 'doctor', '--root', str(root)).stdout.decode()
    assert 'profiling' in said, said
    for moment in ('t0', 't1'):
        with open(os.path.join(root, moment, 'sys/devices/pci0000:00/0000:01:00.0/profiling'), encoding='ascii') as f:
            assert f.read() == '0\n'


def g15():
    text = info('nouveau', 3, PDEV, total_vram='64 MiB')
    frame = look(*amdgpu(text, text))
    row = clients(frame)[(PDEV, 3)]
    assert row['memory_bytes'] == 64 << 20 and row['busy_percent'] is None
    assert not frame['tables']['gpu_engine']['rows']


def g16():
    def moment(ns, ticks):
        text = info('amdxdna_accel_driver', 9, '0000:c5:00.1', **{'engine_npu-amdxdna': f'{ns} ns'})
        return {**base(), **accel(0, '0000:c5:00.1', 'amdxdna'), **process(6, 'infer', {5: ('accel/accel0', text)}, ticks=ticks)}
    frame = look(moment(0, 1), moment(500_000_000, 2))
    near(clients(frame)[('0000:c5:00.1', 9)]['busy_percent'], 50, 1e-4)
    assert gpus(frame)['0000:c5:00.1']['kind'] == 'accel'


def g18():
    touched = {name: ('link', 'errno:EIO') for name in
               ('gpu_busy_percent', 'mem_info_vram_used', 'mem_info_vram_total', 'current_link_speed', 'gpu_metrics')}
    text = info('amdgpu', 1, PDEV, engine_gfx='5 ns')
    files = {**base(), **drm(1, PDEV, 'amdgpu', touched, {'temp1_input': ('link', 'errno:EIO')}, status='suspended'),
             **process(5, 'a', {3: ('dri/renderD129', text)})}
    root = fixture(files, {**files, **process(5, 'a', {3: ('dri/renderD129', text)}, ticks=20)})
    trace = os.path.join(str(root), 'trace')
    r = run('strace', '-f', '-o', trace, '-e', 'trace=open,openat,openat2,stat,newfstatat,statx,readlink,readlinkat,ioctl',
            TARE, 'snapshot', '--json', '--root', str(root),
            env={**os.environ, 'ASAN_OPTIONS': 'detect_leaks=0'})  # not under ptrace
    assert r.returncode == 0, r.stderr
    with open(trace, encoding='utf-8', errors='replace') as f:
        # the text of a link is not what it points to
        calls = '\n'.join(line for line in f if 'readlink' not in line)
    assert 'runtime_status' in calls
    for name in (*touched, 'temp1_input', 'fdinfo/3', '/dev/dri'):
        assert f'{name}"' not in calls and name + '/' not in calls, [line for line in calls.splitlines() if name in line][:3]
    import json
    frame = json.loads(r.stdout.decode().splitlines()[-1])
    row = gpus(frame)[PDEV]
    assert row['state'] == 'asleep'
    assert row['busy_percent'] is None and row['reasons']['busy_percent'] == 'asleep'
    assert row['temperature_celsius'] is None and row['reasons']['temperature_celsius'] == 'asleep'


def g19():
    text = info('amdgpu', 1, PDEV, engine_gfx='5 ns')
    files = {**base(), **drm(1, PDEV, 'amdgpu', {'mem_info_vram_total': '8000\n', 'mem_info_vram_used': ('link', 'errno:EACCES')}),
             **process(5, 'a', {3: ('dri/renderD129', text)})}
    files['proc/5/fdinfo/3'] = ('link', 'errno:EACCES')
    frame = look(files, files)
    row = gpus(frame)[PDEV]
    assert row['memory_total_bytes'] == 8000 and row['memory_used_bytes'] is None
    assert row['reasons']['memory_used_bytes'] == 'permission'
    assert frame['tables']['gpu_client']['partial'] is True
    said = run(TARE, 'snapshot', '--root', str(fixture(files, files)), '--include', 'gpu_client').stdout.decode()
    assert 'own processes only' in said, said


def g22():
    frame = look(*amdgpu('', '', extra={'mem_info_vram_used': '6800000000\n', 'mem_info_vram_total': '8500000000\n',
                                        'mem_busy_percent': '1\n', 'gpu_busy_percent': '42\n'}))
    row = gpus(frame)[PDEV]
    near(row['memory_percent'], 80.0)
    near(row['memory_busy_percent'], 1)
    near(row['busy_percent'], 42)


def s17():
    def moment(card, pkg, at):
        meter = {'energy1_input': f'{card}\n', 'energy1_label': 'card\n', 'energy2_input': f'{pkg}\n', 'energy2_label': 'pkg\n'}
        return {**base(), **drm(0, PDEV, 'i915', {}, meter), 'clock': at}
    from case import moment as clock
    frame = look(moment(0, 0, clock(0)), moment(300000000, 200000000, clock(2)))
    near(gpus(frame)[PDEV]['power_watts'], 150.0)
    energy = rows(frame, 'energy', 'name')
    near(energy['card']['power_watts'], 150.0)
    near(energy['pkg']['power_watts'], 100.0)
    near(frame['tables']['energy']['total']['power_watts'], 150.0)


def s18():
    metrics = struct.pack('<HBB', 120, 2, 1) + b'\xff' * 116
    hwmon = {'temp1_input': '51000\n', 'temp1_label': 'edge\n'}
    row = gpus(look(*amdgpu('', '', extra={'gpu_metrics': metrics})))[PDEV]
    assert row['hotspot_celsius'] is None
    files = {**base(), **drm(1, PDEV, 'amdgpu', {'gpu_metrics': struct.pack('<HBB', 120, 9, 9) + b'\x01' * 116}, hwmon)}
    near(gpus(look(files, files))[PDEV]['temperature_celsius'], 51.0)


def no_gpu():
    files = {**base(), **process(5, 'a')}
    frame = look(files, files)
    assert 'gpu' not in frame['tables'] and 'gpu_client' not in frame['tables']
    assert rows(frame, 'process', 'pid')[5]['gpu_busy_percent'] is None


def processes_alone():
    """The GPU columns are there when only processes are asked for, the tables behind them are not."""
    def text(ns):
        return info('amdgpu', 1, PDEV, engine_gfx=f'{ns} ns')
    frame = look(*amdgpu(text(0), text(400_000_000)), '--include', 'process')
    assert set(frame['tables']) == {'process'}
    near(rows(frame, 'process', 'pid')[901]['gpu_busy_percent'], 40, 1e-4)


def clients_alone():
    def text(ns):
        return info('amdgpu', 1, PDEV, engine_gfx=f'{ns} ns')
    frame = look(*amdgpu(text(0), text(400_000_000)), '--include', 'gpu_client,gpu_engine')
    near(clients(frame)[(PDEV, 1)]['gfx_percent'], 40, 1e-4)


def closes_its_device():
    """What a client that goes away did hides nothing of the others; it is not shown any more."""
    def text(client, ns):
        return info('amdgpu', client, PDEV, engine_gfx=f'{ns} ns')

    def moment(ticks, **nodes):
        return {**base(), **drm(1, PDEV, 'amdgpu'), **process(5, 'a', nodes['a'], ticks=ticks), **process(6, 'b', nodes['b'], ticks=ticks)}
    node = 'dri/renderD129'
    frame = look(moment(1, a={3: (node, text(1, 10**12))}, b={3: (node, text(2, 0))}),
                 moment(2, a={}, b={3: (node, text(2, 300_000_000))}))
    assert set(clients(frame)) == {(PDEV, 2)}
    near(gpus(frame)[PDEV]['busy_percent'], 30, 1e-4)


for name, fn in (('G01 memory and resident are one', g01), ('G03 an integrated GPU has both memories', g03),
                 ('G04 any name of an engine', g04), ('G06 a child that inherited the descriptor', g06),
                 ('G07 the same client id on two GPUs', g07), ('G09 capacity', g09), ('G10 units', g10),
                 ('G12 engine time goes back', g12), ('G13 profiling off', g13), ('G15 memory without engines', g15),
                 ('G16 accel devices', g16), ('G18 a sleeping GPU is left asleep', g18), ('G19 not permitted', g19),
                 ('G22 memory use is not memory busy', g22), ('S17 energy counters of a card', s17),
                 ('S18 gpu_metrics by format and content', s18), ('a machine without a GPU', no_gpu),
                 ('processes alone', processes_alone), ('clients alone', clients_alone),
                 ('a client that closes its device', closes_its_device)):
    case(name, fn)
done()
