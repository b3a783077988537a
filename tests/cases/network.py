#!/usr/bin/env python3
"""Group N: network."""
from case import TARE, case, done, fixture, near, snapshot

HEAD = 'Inter-| Receive | Transmit\n face |bytes |bytes\n'


def dev(**rx):
    return HEAD + ''.join(f'{n}: {v} 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n' for n, v in rx.items())


def network(a, b, sys0=None, sys1=None):
    t = snapshot(TARE, fixture({'proc/net/dev': a, **(sys0 or {})}, {'proc/net/dev': b, **(sys1 or sys0 or {})}),
                 '--include', 'network')['tables']['network']
    return {r['name']: r for r in t['rows']}, t


def n01():
    speed = {'sys/class/net/eth0/speed': '1000\n', 'sys/class/net/eth0/carrier': '1\n'}
    rows, _ = network(dev(eth0=4294960000), dev(eth0=5000), speed)
    near(rows['eth0']['rx_bytes_per_second'], 12296)
    rows, _ = network(dev(eth0=2147483648), dev(eth0=5000), speed)
    assert rows['eth0']['rx_bytes_per_second'] is None
    rows, _ = network(dev(eth0=8589934592), dev(eth0=5000), speed)
    assert rows['eth0']['rx_bytes_per_second'] is None


def n03():
    names = {f'veth{i}': 1000 for i in range(1000)}
    rows, t = network(dev(eth0=0, **names), dev(eth0=700))
    assert list(rows) == ['eth0'], len(rows)
    near(t['total']['rx_bytes_per_second'], 700)


def n04():
    base = 'sys/class/net/eth0/'
    bad = {base + f: ('link', 'errno:read:EINVAL') for f in ('speed', 'carrier')}
    rows, _ = network(dev(eth0=0), dev(eth0=0), bad)
    assert rows['eth0']['speed_bits_per_second'] is None and rows['eth0']['up'] is None
    rows, _ = network(dev(eth0=0), dev(eth0=0), bad, {base + 'speed': '1000\n', base + 'carrier': '1\n'})
    assert rows['eth0']['speed_bits_per_second'] == 1000000000 and rows['eth0']['up'] == 1
    rows, _ = network(dev(eth0=0), dev(eth0=0), {base + 'speed': '-1\n', base + 'carrier': '1\n'})
    assert rows['eth0']['reasons']['speed_bits_per_second'] == 'unknown'


def anew():
    """A name that was taken away and given again between two looks is another interface: no reset, a first sample."""
    def link(index):
        return {'sys/class/net/eth0/ifindex': f'{index}\n', 'sys/class/net/eth0/type': '1\n'}
    rows, _ = network(dev(eth0=5000), dev(eth0=70), link(3), link(9))
    assert rows['eth0']['reasons']['rx_bytes_per_second'] == 'first', rows
    rows, _ = network(dev(eth0=5000), dev(eth0=70), link(3), link(3))
    assert rows['eth0']['reasons']['rx_bytes_per_second'] == 'reset', rows


case('N01 a 32-bit counter wraps', n01)
case('N03 interfaces that are gone', n03)
case('N04 a link that is down is asked again', n04)
case('a name given anew', anew)
done()
