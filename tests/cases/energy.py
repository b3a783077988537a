#!/usr/bin/env python3
"""Group S: energy."""
from case import TARE, case, done, fixture, moment, near, snapshot

CAP = 'sys/class/powercap/'


def zone(zone_name, name, uj, top=None):
    files = {f'{CAP}{zone_name}/name': name + '\n', f'{CAP}{zone_name}/energy_uj': uj if isinstance(uj, tuple) else f'{uj}\n'}
    if top is not None:
        files[f'{CAP}{zone_name}/max_energy_range_uj'] = f'{top}\n'
    return files


def energy(t0, t1):
    t = snapshot(TARE, fixture(t0, t1), '--include', 'energy')['tables']['energy']
    return {r['name']: r for r in t['rows']}, t


def s02():
    for top in (None, 0):
        rows, _ = energy(zone('intel-rapl:0', 'package-0', 500, top), zone('intel-rapl:0', 'package-0', 400, top))
        assert rows['package-0']['power_watts'] is None, rows


def s03():
    def both(pkg, dram):
        return {**zone('intel-rapl:0', 'package-0', pkg, 262143328850), **zone('intel-rapl:0:0', 'dram', dram, 65712999613)}
    rows, t = energy(both(1000000000, 65712000000), both(1030000000, 4000387))
    near(rows['package-0']['power_watts'], 30.0)
    near(rows['dram']['power_watts'], 5.0)
    # a package's counter does not hold its memory's
    near(t['total']['power_watts'], 35.0)


def failing(marker, reason):
    def both(uj):
        return {**zone('intel-rapl:0', 'package-0', uj, 10**9), **zone('intel-rapl:0:0', 'core', ('link', marker))}
    rows, _ = energy(both(0), both(1000000))
    near(rows['package-0']['power_watts'], 1.0)
    assert rows['core']['power_watts'] is None and rows['core']['reasons']['power_watts'] == reason, rows


def s17():
    def card(a, b):
        h = 'sys/class/hwmon/hwmon3/'
        return {h + 'name': 'xe\n', h + 'energy1_label': 'card\n', h + 'energy1_input': f'{a}\n',
                h + 'energy2_label': 'pkg\n', h + 'energy2_input': f'{b}\n'}
    rows, t = energy(card(0, 0), {**card(300000000, 200000000), 'clock': moment(2)})
    near(rows['card']['power_watts'], 150.0)
    near(rows['pkg']['power_watts'], 100.0)
    near(t['total']['power_watts'], 150.0)


def s20():
    amd = {'proc/cpuinfo': 'processor: 0\nvendor_id: AuthenticAMD\n'}
    rows, _ = energy({**amd, **zone('intel-rapl:0', 'package-0', 0, 10**9)},
                     {**amd, **zone('intel-rapl:0', 'package-0', 2000000, 10**9)})
    near(rows['package-0']['power_watts'], 2.0)


case('S02 no range: no value', s02)
case('S03 each domain wraps at its own range', s03)
case('S05 a denied domain is absent, others stay', lambda: failing('errno:EACCES', 'permission'))
case('S06 a failing domain is absent, others stay', lambda: failing('errno:read:EINVAL', 'error'))
case('S17 a card is not added to its package', s17)
case('S20 RAPL of any vendor', s20)
done()
