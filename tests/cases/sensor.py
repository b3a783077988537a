#!/usr/bin/env python3
"""Group S: sensors and batteries. Each case is a fault that users of other monitors met."""
from case import TARE, case, done, fixture, near, rows, run, snapshot

CHIP = 'sys/class/hwmon/hwmon1/'
BAT = 'sys/class/power_supply/BAT0/'


def sensors(files, *later):
    frame = snapshot(TARE, fixture(files, *(later or (files,))), '--include', 'sensor')
    return rows(frame, 'sensor', 'label')


def chip(number, name, **files):
    return {f'sys/class/hwmon/hwmon{number}/name': name + '\n',
            **{f'sys/class/hwmon/hwmon{number}/{k}': v if isinstance(v, tuple) else f'{v}\n' for k, v in files.items()}}


def s08():
    for value in (127000, -128000, 511000):
        got = sensors({**chip(0, 'nct6775', temp1_input=value, temp1_label='AUXTIN0'),
                       **chip(1, 'coretemp', temp1_input=41000, temp1_label='Package id 0')})
        aux, cpu = got['nct6775 AUXTIN0'], got['coretemp Package id 0']
        assert aux['state'] == 'no sensor' and aux['temperature_celsius'] is None and aux['cpu'] == 0
        near(cpu['temperature_celsius'], 41.0)
        assert cpu['cpu'] == 1
    # the CPU's own, when it is the one that is stuck, does not stand for the CPU
    got = sensors({**chip(1, 'coretemp', temp1_input=127000, temp1_label='Package id 0'),
                   **chip(2, 'acpitz', temp1_input=30000)})
    assert not any(row['cpu'] for row in got.values())


def s09():
    row = sensors(chip(1, 'nvme', temp1_input=41000, temp1_max=-273150, temp1_crit=84850))['nvme temp1']
    near(row['temperature_celsius'], 41.0)
    assert row['limit_high_celsius'] is None and row['state'] == 'ok'
    near(row['limit_critical_celsius'], 84.85)


def s11():
    for error in ('EAGAIN', 'EIO', 'EINVAL'):
        got = sensors(chip(1, 'nct6775', temp1_input=30000, temp2_input=('link', f'errno:read:{error}'), fan1_input=900))
        near(got['nct6775 temp1']['temperature_celsius'], 30.0)
        assert got['nct6775 temp2']['temperature_celsius'] is None and got['nct6775 temp2']['state'] == 'failed'
        assert got['nct6775 fan1']['fan'] == 900


def s12():
    """No class, no chip, chips without labels: no data, and no failure."""
    root = fixture({'proc/stat': 'cpu 1 0 0 1\n'}, {'proc/stat': 'cpu 2 0 0 2\n'})
    frame = snapshot(TARE, root)
    assert 'sensor' not in frame['tables'] and 'battery' not in frame['tables']
    said = run(TARE, 'doctor', '--root', str(root))
    assert said.returncode == 0
    got = sensors({**chip(0, 'a', temp1_input=1000), **chip(1, 'a', temp1_input=2000)})
    assert set(got) == {'a temp1'}


def signs():
    got = sensors(chip(1, 'outdoor', temp1_input=-12500, in0_input=-500, curr1_input=-1500, power1_average=2500000))
    near(got['outdoor temp1']['temperature_celsius'], -12.5)
    near(got['outdoor in0']['voltage_volts'], -0.5)
    near(got['outdoor curr1']['current_amperes'], -1.5)
    near(got['outdoor power1']['power_watts'], 2.5)


def limits():
    got = sensors(chip(1, 'c', temp1_input=90000, temp1_max=80000, temp1_crit=100000,
                       temp2_input=100000, temp2_max=80000, temp2_crit=100000))
    assert got['c temp1']['state'] == 'high' and got['c temp2']['state'] == 'critical'


def asleep():
    files = chip(1, 'amdgpu', temp1_input=('link', 'errno:EIO'))
    files['sys/class/hwmon/hwmon1/device/power/runtime_status'] = 'suspended\n'
    row = sensors(files)['amdgpu temp1']
    assert row['state'] == 'asleep' and row['reasons']['temperature_celsius'] == 'asleep'


def disk():
    """A disk's own sensor is not asked: that keeps it from sleeping."""
    got = sensors({**chip(0, 'drivetemp', temp1_input=30000), **chip(1, 'c', temp1_input=30000)})
    assert set(got) == {'c temp1'}


def zones():
    got = sensors({'sys/class/thermal/thermal_zone0/type': 'cpu-thermal\n', 'sys/class/thermal/thermal_zone0/temp': '48000\n'})
    near(got['cpu-thermal']['temperature_celsius'], 48.0)
    assert got['cpu-thermal']['cpu'] == 1


def battery(**files):
    tree = {BAT + k: v if isinstance(v, tuple) else f'{v}\n' for k, v in files.items()}
    frame = snapshot(TARE, fixture(tree, tree), '--include', 'battery')
    return rows(frame, 'battery')['BAT0']


def s14():
    row = battery(type='Battery', status='Discharging', current_now=-1500000, voltage_now=12000000, capacity=50,
                  charge_now=3000000, charge_full=6000000)
    near(row['power_watts'], 18.0)
    near(row['current_amperes'], -1.5)
    assert row['status'] == 'Discharging'
    near(row['energy_joules'], 3.0 * 12 * 3600)
    near(row['time_left_seconds'], 2 * 3600.0)
    near(row['capacity_percent'], 50)


def s15():
    row = battery(type='Battery', status='Full', capacity=100, energy_now=50000000, energy_full=('link', 'errno:read:ENODEV'),
                  charge_control_end_threshold=('link', 'errno:read:ENODEV'), energy_full_design=60000000)
    near(row['energy_joules'], 50 * 3600.0)
    assert row['full_joules'] is None and row['health_percent'] is None
    near(row['design_joules'], 60 * 3600.0)


def charging():
    row = battery(type='Battery', status='Charging', power_now=20000000, energy_now=30000000, energy_full=50000000,
                  energy_full_design=60000000, cycle_count=123, technology='Li-ion', voltage_now=12000000)
    near(row['time_left_seconds'], 3600.0)
    near(row['health_percent'], 100 * 50 / 60)
    assert row['cycles'] == 123 and row['technology'] == 'Li-ion'


def mains():
    tree = {'sys/class/power_supply/AC/type': 'Mains\n', 'sys/class/power_supply/AC/online': '1\n'}
    row = rows(snapshot(TARE, fixture(tree, tree), '--include', 'battery'), 'battery')['AC']
    assert row['online'] == 1 and row['kind'] == 'Mains' and row['power_watts'] is None


for name, fn in (('S08 an input to which nothing is connected', s08), ('S09 a limit that nobody set', s09),
                 ('S11 one bad sensor', s11), ('S12 no class, no label', s12), ('signs', signs), ('limits', limits),
                 ('a device that sleeps', asleep), ('a disk is not asked', disk), ('thermal zones', zones),
                 ('S14 signed current', s14), ('S15 an attribute that fails', s15), ('charging', charging), ('mains', mains)):
    case(name, fn)
done()
