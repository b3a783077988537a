"""A Perfetto trace read by other means than those that wrote it: a protobuf walker, and what tests ask of a trace.

Field numbers: protos/perfetto/trace of Perfetto v58.
"""
import struct


class Cut(Exception):
    """The bytes end within a field."""


def varint(b, at):
    v = shift = 0
    while True:
        if at >= len(b):
            raise Cut
        v |= (b[at] & 0x7f) << shift
        at += 1
        if not b[at - 1] & 0x80:
            return v & (1 << 64) - 1, at
        shift += 7
        assert shift < 70, 'a number of more than ten bytes'


def fields(b):
    """Each field of a message: number and value, an integer or bytes."""
    at = 0
    while at < len(b):
        tag, at = varint(b, at)
        if tag & 7 == 0:
            v, at = varint(b, at)
        elif tag & 7 == 1:
            if at + 8 > len(b):
                raise Cut
            v, at = struct.unpack_from('<d', b, at)[0], at + 8
        elif tag & 7 == 2:
            n, at = varint(b, at)
            if at + n > len(b):
                raise Cut
            v, at = b[at:at + n], at + n
        else:
            raise AssertionError(f'wire type {tag & 7}')
        yield tag >> 3, v


def message(b):
    """Field number: list of values."""
    out = {}
    for n, v in fields(b):
        out.setdefault(n, []).append(v)
    return out


def one(m, n, default=None):
    return m[n][-1] if n in m else default


def signed(v):
    return v - (1 << 64) if v >> 63 else v


def packed(b):
    at, out = 0, []
    while at < len(b):
        v, at = varint(b, at)
        out.append(v)
    return out


# FtraceEvent's field: name, and names of the message's fields
KNOWN = {
    4: ('sched_switch', ('prev_comm', 'prev_pid', 'prev_prio', 'prev_state', 'next_comm', 'next_pid', 'next_prio')),
    20: ('sched_waking', ('comm', 'pid', 'prio', 'success', 'target_cpu')),
    237: ('sched_process_exec', ('filename', 'pid', 'old_pid')),
    238: ('sched_process_exit', ('comm', 'pid', 'tgid', 'prio')),
    239: ('sched_process_fork', ('parent_comm', 'parent_pid', 'child_comm', 'child_pid')),
    235: ('task_newtask', ('pid', 'comm', 'clone_flags', 'oom_score_adj')),
    329: ('sys_enter', ('id', 'args')),
    330: ('sys_exit', ('id', 'ret')),
    3: ('print', ('ip', 'buf')),
    58: ('workqueue_execute_end', ('work', 'function')),
    59: ('workqueue_queue_work', ('work', 'function', 'req_cpu', 'cpu', 'workqueue')),
}
REPEATED = {('sys_enter', 'args')}


def text(v):
    """Must be UTF-8."""
    return v.decode() if isinstance(v, bytes) else v


class Event:
    def __init__(self, cpu, time, pid, name, values):
        self.cpu, self.time, self.pid, self.name, self.values = cpu, time, pid, name, values

    def __getitem__(self, name):
        return self.values[name]


class Trace:
    """packets, events (in the file's order), stats (FtraceStats by phase), processes, cut (bytes behind the last packet)."""

    def __init__(self, data):
        self.packets, self.events, self.stats, self.processes, self.threads = [], [], {}, {}, {}
        self.bundles, self.lost, self.generic = [], {}, {}
        at = 0
        while at < len(data):
            try:
                tag, begin = varint(data, at)
                assert tag == 0x0a, f'byte {at} begins no packet'
                n, begin = varint(data, begin)
            except Cut:
                break
            if begin + n > len(data):
                break
            self.packets.append(message(data[begin:begin + n]))
            at = begin + n
        self.cut = len(data) - at
        bundles = [message(p[1][0]) for p in self.packets if 1 in p]
        for b in bundles:
            for d in b.get(11, []):
                self.describe(message(d))
        for b in bundles:
            self.bundle(b)
        for p in self.packets:
            if 34 in p:
                stats = message(p[34][0])
                self.stats[one(stats, 1)] = {one(c, 1, 0): c for c in map(message, stats.get(2, []))}
            if 2 in p:
                self.tree(message(p[2][0]))

    def tree(self, tree):
        for p in map(message, tree.get(1, [])):
            self.processes[one(p, 1)] = (one(p, 2, 0), [text(a) for a in p.get(3, [])])
        for t in map(message, tree.get(2, [])):
            self.threads[one(t, 1)] = (one(t, 3), text(one(t, 2)))

    def describe(self, d):
        assert one(d, 1) >= 65536
        m = message(one(d, 2))
        names = {}
        for f in map(message, m.get(2, [])):
            assert one(f, 3) < 32 and one(f, 5) in (3, 4, 9, 12) and one(f, 4) in (1, 3)
            names[one(f, 3)] = (text(one(f, 1)), one(f, 5), one(f, 4) == 3)
        self.generic[one(d, 1)] = (text(one(m, 1)), text(one(d, 3)), names)

    def bundle(self, b):
        cpu = one(b, 1)
        assert cpu is not None, 'a bundle without a CPU'
        self.bundles.append(b)
        if one(b, 3):
            self.lost[cpu] = self.lost.get(cpu, 0) + 1
        for raw in b.get(2, []):
            self.event(cpu, message(raw))
        for c in b.get(4, []):
            self.compact(cpu, message(c))

    def event(self, cpu, e):
        bodies = [n for n in e if n not in (1, 2, 5)]
        assert len(bodies) == 1 and 1 in e and 2 in e, e
        body = message(e[bodies[0]][0])
        if bodies[0] in self.generic:
            name, _, names = self.generic[bodies[0]]
            values = {}
            for n, v in body.items():
                field, kind, repeated = names[n]
                v = [signed(x) if kind == 3 else text(x) if kind == 9 else x for x in v]
                values[field] = v if repeated else v[-1]
        else:
            name, names = KNOWN.get(bodies[0], (str(bodies[0]), ()))
            values = {}
            for n, v in body.items():
                field = names[n - 1] if n <= len(names) else str(n)
                v = [text(x) for x in v]
                values[field] = v if (name, field) in REPEATED else v[-1]
        self.events.append(Event(cpu, one(e, 1), one(e, 2), name, values))

    def compact(self, cpu, c):
        comms = [text(v) for v in c.get(5, [])]
        columns = {n: packed(c[n][0]) for n in c if n != 5}
        for first, last, name in ((1, 6, 'sched_switch'), (7, 12, 'sched_waking')):
            lists = [columns.get(n, []) for n in range(first, last + 1) if n != 5]
            assert len({len(x) for x in lists}) == 1, 'columns of different length'
            time = 0
            for row in zip(*lists):
                time += row[0]
                if name == 'sched_switch':
                    values = {'prev_state': signed(row[1]), 'next_pid': signed(row[2]), 'next_prio': signed(row[3]),
                              'next_comm': comms[row[4]]}
                else:
                    values = {'pid': signed(row[1]), 'target_cpu': signed(row[2]), 'prio': signed(row[3]),
                              'comm': comms[row[4]]}
                self.events.append(Event(cpu, time, None, name, values))

    def named(self, name):
        return sorted((e for e in self.events if e.name == name), key=lambda e: e.time)


def read(path):
    with open(path, 'rb') as f:
        return Trace(f.read())
