#!/usr/bin/env python3
"""Group M: memory and swap. Each case is a fault that users of other monitors met."""
import sys

from case import TARE, case, done, fixture, near, snapshot

CLASSES = ('free', 'buffers', 'cache', 'shared', 'anon', 'kernel', 'hugepages', 'other')


def meminfo(**kb):
    return ''.join(f'{k}: {v}{"" if k.startswith("HugePages_") else " kB"}\n' for k, v in kb.items())


def memory(text, extra=None, vmstat=None):
    t0 = {'proc/meminfo': text, **(extra or {})}
    t1 = dict(t0)
    if vmstat:
        t0['proc/vmstat'], t1['proc/vmstat'] = vmstat
    d = fixture(t0, t1)
    row = snapshot(TARE, d, '--include', 'memory')['tables']['memory']['rows'][0]
    parts = [row[f'{c}_bytes'] or 0 for c in CLASSES]
    assert all(p >= 0 for p in parts), parts
    assert sum(parts) == row['total_bytes'], (sum(parts), row['total_bytes'])
    return row


def m01():
    row = memory(meminfo(MemTotal=1000000, MemFree=990000, MemAvailable=990000, Buffers=0, Cached=8000, SReclaimable=65000,
                         Shmem=19000))
    assert row['used_bytes'] == 10000 * 1024
    near(row['used_share_percent'], 1.0)


def m02():
    row = memory(meminfo(MemTotal=1048576, MemFree=600000, MemAvailable=2097152))
    assert row['used_bytes'] == 448576 * 1024
    assert row['available_bytes'] is None and row['reasons']['available_bytes'] == 'invalid'


def m04():
    arc = 'name type data\nhits 4 1\nsize 4 15728640000\nc_min 4 1048576000\n'
    plain = meminfo(MemTotal=32768000, MemFree=4000000, MemAvailable=8192000, Cached=1000)
    row = memory(plain, {'proc/spl/kstat/zfs/arcstats': arc})
    assert row['used_bytes'] == 10240000 * 1024
    assert row['cache_bytes'] == (1000 + 14336000) * 1024
    assert row['zfs_arc_bytes'] == 15728640000


def m05():
    row = memory(meminfo(MemTotal=16777216, MemFree=8000000, MemAvailable=8000000, HugePages_Total=2, HugePages_Free=2,
                         Hugepagesize=1048576, Hugetlb=4194304))
    assert row['hugepages_bytes'] == 4 << 30
    assert row['hugepages_used_bytes'] == 0


def m07():
    row = memory(meminfo(MemTotal=16777216, MemFree=8000000, MemAvailable=9000000, SwapTotal=8388608, SwapFree=4194304,
                         Zswap=524288, Zswapped=2097152))
    assert row['swap_used_bytes'] == 4 << 30
    assert row['swap_on_disk_bytes'] == 2 << 30
    assert row['zswap_pool_bytes'] == 512 << 20
    assert row['zswap_stored_bytes'] == 4 * row['zswap_pool_bytes']


def m08():
    d = fixture({'proc/swaps': 'Filename\tType\tSize\tUsed\tPriority\n/dev/zram0  partition\t4194300\t2097152\t100\n'
                               '/swap\\040file file 1048576 0 -2\n',
                 'sys/block/zram0/mm_stat': '2147483648 536870912 545259520 0 545259520 0 0 0\n'}, None)
    table = snapshot(TARE, d, '--include', 'swap')['tables']['swap']
    rows = {r['name']: r for r in table['rows']}
    z = rows['/dev/zram0']
    assert z['data_bytes'] == 2 << 30 and z['compressed_bytes'] == 512 << 20 and z['memory_cost_bytes'] == 520 << 20
    near(z['ratio'], 4.0)
    assert z['size_bytes'] == 4194300 * 1024 and z['used_bytes'] == 2 << 30 and z['type'] == 'zram'
    assert rows['/swap file']['priority'] == -2
    assert rows['/swap file']['data_bytes'] is None


def counters():
    row = memory(meminfo(MemTotal=1000, MemFree=1000, MemAvailable=1000),
                 vmstat=('pgpgin 10\npgpgout 0\npswpin 0\npswpout 5\npgfault 100\npgmajfault 1\noom_kill 0\n',
                         'pgpgin 30\npgpgout 0\npswpin 0\npswpout 15\npgfault 400\npgmajfault 3\noom_kill 1\n'))
    near(row['paged_in_bytes_per_second'], 20 * 1024)
    near(row['swapped_out_bytes_per_second'], 10 * 4096)
    near(row['faults_per_second'], 300)
    near(row['major_faults_per_second'], 2)
    near(row['oom_kills_per_second'], 1)


def garbage():
    """Lines cut short, values missing or absurd: no crash, and the classes still add up."""
    for text in ('MemTotal: 1000 kB\nMemFree', 'MemTotal: 1000 kB\nMemFree: kB\nCached: 99999999999999999999999 kB\n',
                 'MemTotal: 9007199254739 kB\nMemFree: 5 kB\n', 'MemTotal: 1 kB\n' + 'x' * 100000):
        memory(text)


case('M01 container with more reclaimable than used', m01)
case('M02 impossible MemAvailable', m02)
case('M04 ZFS ARC', m04)
case('M05 huge pages of every size', m05)
case('M07 zswap is not disk', m07)
case('M08 zram', m08)
case('memory counters over the window', counters)
case('meminfo cut or absurd', garbage)
sys.exit(done())
