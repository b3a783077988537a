#!/usr/bin/env python3
"""Group D: disks and filesystems."""
from case import TARE, case, done, fixture, near, snapshot


def line(dev, name, sectors):
    return f'{dev} {name} 1 0 {sectors} 1 0 0 0 0 0 1 1 0 0 0 0 0 0\n'


def table(name, t0, t1):
    return snapshot(TARE, fixture(t0, t1), '--include', name)['tables'][name]


def disks(a, b, extra=None):
    t0, t1 = ({'proc/diskstats': ''.join(line(*x) for x in rows), **(extra or {})} for rows in (a, b))
    t = table('disk', t0, t1)
    return {r['name']: r['read_bytes_per_second'] for r in t['rows']}, t


def d02():
    rows = [('8 16', 'sdb', 100), ('253 0', 'dm-0', 100), ('7 0', 'loop0', 100), ('1 0', 'ram0', 100)]
    more = [1000, 1000, 10, 5]
    got, t = disks(rows, [(d, n, v + m) for (d, n, v), m in zip(rows, more)], {'sys/class/block/dm-0/slaves/sdb': None})
    assert got == {'sdb': 512000, 'dm-0': 512000, 'loop0': 5120, 'ram0': 2560}, got
    near(t['total']['read_bytes_per_second'], 512000)


def d03():
    paths = [('0 0', 'nvme0c0n1', 100), ('0 0', 'nvme0c1n1', 100)]
    moved = [('0 0', 'nvme0c0n1', 900), ('0 0', 'nvme0c1n1', 300)]
    head = '259 1 nvme0n1 0 0 0 0 0 0 0 0 0 0 0\n'
    text = [''.join(line(*x) for x in rows) for rows in (paths, moved)]
    t = table('disk', {'proc/diskstats': text[0] + head}, {'proc/diskstats': text[1] + head})
    row = [r for r in t['rows'] if r['name'] == 'nvme0n1'][0]
    near(row['read_bytes_per_second'], 512000)
    near(t['total']['read_bytes_per_second'], 512000)
    t = disks(paths + [('259 1', 'nvme0n1', 50)], moved + [('259 1', 'nvme0n1', 1050)])[1]
    near(t['total']['read_bytes_per_second'], 512000)


def d05():
    got, _ = disks([('8 0', 'sda', 0)], [('8 0', 'sda', 2048)], {'sys/block/sda/queue/hw_sector_size': '4096\n'})
    assert got['sda'] == 1048576, got


def d06():
    info = ('479 33 259:5 /usr/share/h /var/snap/x ro - ext4 /dev/nvme0n1p5 rw\n'
            '33 2 259:5 / / rw - ext4 /dev/nvme0n1p5 rw\n')
    t0 = {'proc/self/mountinfo': info, 'statfs': '/ ext4 4096 1000 400 300 100 60\n'}
    rows = table('filesystem', t0, t0)['rows']
    assert len(rows) == 1 and rows[0]['mount'] == '/', rows
    assert rows[0]['size_bytes'] == 4096000 and rows[0]['used_bytes'] == 600 * 4096


def overmounted():
    """What is mounted over is not seen, and statfs tells of what covers it; elsewhere it may still show."""
    info = ('40 2 0:50 / /data rw - tmpfs under rw\n'
            '41 2 8:1 / /data rw - ext4 /dev/sda1 rw\n'
            '42 2 0:50 / /data/below rw - tmpfs under rw\n'
            '43 2 8:2 /data /mnt/data rw - ext4 /dev/sda2 rw\n')
    t0 = {'proc/self/mountinfo': info, 'statfs': '/data ext4 4096 1000 400 300 100 60\n/data/below tmpfs 4096 8 8 8 8 8\n'
          '/mnt/data ext4 4096 5 5 5 5 5\n'}
    rows = {r['mount']: r for r in table('filesystem', t0, t0)['rows']}
    assert sorted(rows) == ['/data', '/data/below', '/mnt/data'], rows
    assert rows['/data']['device'] == '/dev/sda1' and rows['/data/below']['type'] == 'tmpfs', rows


def d08():
    t0 = {'proc/self/mountinfo': '33 2 8:17 / /mnt/my\\040disk rw - ext4 /dev/sdb1 rw\n',
          'statfs': '/mnt/my\\040disk ext4 4096 10 5 5 10 5\n'}
    rows = table('filesystem', t0, t0)['rows']
    assert rows[0]['mount'] == '/mnt/my disk' and rows[0]['size_bytes'] == 40960, rows


def d09():
    t0 = {'proc/self/mountinfo': b'33 2 8:17 / /mnt/caf\xe9 rw - ext4 /dev/sdb1 rw\n',
          'statfs': b'/mnt/caf\xe9 ext4 4096 10 5 5 10 5\n'}
    rows = table('filesystem', t0, t0)['rows']
    assert rows[0]['mount'] == '/mnt/caf\ufffd' and rows[0]['size_bytes'] == 40960, rows


def d11():
    a = [('8 0', 'sda', 0), ('8 1', 'sda1', 0), ('8 2', 'sda2', 0)]
    got, t = disks(a, [('8 0', 'sda', 100), ('8 1', 'sda1', 100), ('8 2', 'sda2', 0)])
    assert got['sda1'] == 51200 and got['sda2'] == 0, got
    near(t['total']['read_bytes_per_second'], 51200)


case('D02 stacked and virtual devices are not in the total', d02)
case('D03 NVMe multipath counts once', d03)
case('D05 sectors are 512 bytes', d05)
case('D06 bind mounts are one row', d06)
case('mounts over mounts', overmounted)
case('D08 blanks in paths', d08)
case('D09 paths that are not UTF-8', d09)
case('D11 partitions have figures of their own', d11)
done()
