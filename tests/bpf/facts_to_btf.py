#!/usr/bin/env python3
"""facts_to_btf.py FACTS BTF: a file of facts (README.md) as the raw BTF that libbpf reads."""
import re
import struct
import sys

INT, PTR, ARRAY, STRUCT, UNION, ENUM, FWD, TYPEDEF = range(1, 9)
FUNC, PROTO, VAR, DATASEC = 12, 13, 14, 15
SIGNS = {'unsigned': 0, 'signed': 1, 'char': 2, 'bool': 4}
MEMBER = re.compile(r'(\d+)(?:\.(\d))? (?:(\w+): )?(.*?)(?: : (\d+))?$')


class Btf:
    def __init__(self):
        self.names, self.types, self.made = b'\0', [], {}

    def name(self, text):
        if not text:
            return 0
        at = self.names.find(b'\0' + text.encode() + b'\0')
        if at < 0:
            at = len(self.names) - 1
            self.names += text.encode() + b'\0'
        return at + 1

    def add(self, kind, name, size, tail=b'', n=0, flag=0):
        self.types.append(struct.pack('<III', self.name(name), flag << 31 | kind << 24 | n, size) + tail)
        return len(self.types)

    def later(self):
        """A number for a type that members may need before it is known."""
        self.types.append(None)
        return len(self.types)

    def put(self, i, kind, name, size, tail, n, flag=0):
        self.types[i - 1] = struct.pack('<III', self.name(name), flag << 31 | kind << 24 | n, size) + tail

    def once(self, *what):
        if what not in self.made:
            self.made[what] = self.add(*what)
        return self.made[what]

    def data(self):
        types = b''.join(self.types)
        header = struct.pack('<HBBIIIII', 0xeb9f, 1, 0, 24, 0, len(types), len(types), len(self.names))
        return header + types + self.names


class Block:
    """A line and those that are indented under it."""

    def __init__(self, number, text):
        self.number, self.text, self.inner = number, text, []


def blocks(lines):
    stack = [Block(0, '')]
    for number, line in enumerate(lines, 1):
        line = line.rstrip()
        depth = len(line) - len(line.lstrip('\t'))
        if not line or line.startswith('#'):
            continue
        if depth >= len(stack):
            raise ValueError(f'{number}: indented under nothing')
        del stack[depth + 1:]
        stack.append(Block(number, line.lstrip('\t')))
        stack[-2].inner.append(stack[-1])
    return stack[0].inner


class Maker:
    def __init__(self):
        self.btf, self.known = Btf(), {}

    def type(self, text, body):
        """The number of a type that is spelled as its base and, after it, ` *` and ` [N]` from the inside."""
        m = re.match(r'(.*?)((?: \*| \[\d+\])*)$', text)
        base, i = m.group(1), 0
        anonymous = re.match(r'(struct|union|enum) (\d+)$', base)
        if anonymous:
            i = self.aggregate(self.btf.later(), anonymous.group(1), '', int(anonymous.group(2)), body)
        elif base in self.known:
            i = self.known[base]
        elif base == 'function':
            i = self.btf.add(PROTO, '', 0)
        elif base.startswith(('struct ', 'union ')):
            # nobody looks into it
            i = self.known[base] = self.btf.add(FWD, base.split()[1], 0, flag=int(base.startswith('union ')))
        elif base != 'void':
            raise ValueError(f'{base!r} is not said to be any type')
        for star, n in re.findall(r' (\*)| \[(\d+)\]', m.group(2)):
            if star:
                i = self.btf.once(PTR, '', i)
            else:
                i = self.btf.once(ARRAY, '', 0, struct.pack('<III', i, self.known['index'], int(n)))
        return i

    def aggregate(self, i, word, name, size, body):
        if word == 'enum':
            values = [block.text.split() for block in body]
            tail = b''.join(struct.pack('<Ii', self.btf.name(n), int(v)) for v, n in values)
            self.btf.put(i, ENUM, name, size, tail, len(values))
            return i
        members, bits_used = [], 0
        for block in body:
            m = MEMBER.match(block.text)
            if not m:
                raise ValueError(f'{block.number}: not a place, a name and a type')
            byte, bit, member, spelled, bits = m.groups()
            at = int(byte) * 8 + int(bit or 0)
            bits_used |= bits is not None
            kind = self.type(spelled, block.inner)
            members.append((self.btf.name(member), kind, at | int(bits or 0) << 24))
        tail = b''.join(struct.pack('<III', *member) for member in members)
        self.btf.put(i, STRUCT if word == 'struct' else UNION, name, size, tail, len(members), bits_used)
        return i

    def use(self, word, rest):
        name, _, spelled = rest.partition(': ')
        if word == 'iterator':
            self.btf.add(FUNC, f'bpf_iter_{name}', self.btf.once(PROTO, '', 0))
        elif word == 'tracepoint':
            args = [self.type(arg, []) for arg in spelled.split(', ')]
            tail = b''.join(struct.pack('<II', 0, arg) for arg in args)
            proto = self.btf.add(PROTO, '', 0, tail, len(args))
            self.btf.add(TYPEDEF, f'btf_trace_{name}', self.btf.once(PTR, '', proto))
        elif word == 'function':
            result, *args = [self.type(t, []) for t in spelled.split(', ')]
            tail = b''.join(struct.pack('<II', self.btf.name(f'a{i}'), arg) for i, arg in enumerate(args))
            self.btf.add(FUNC, name, self.btf.add(PROTO, '', result, tail, len(args)))
        else:
            raise ValueError(f'{word!r} is nothing that facts can be about')

    def make(self, lines):
        tops = blocks(lines)
        self.known['index'] = self.btf.add(INT, '__ARRAY_SIZE_TYPE__', 4, struct.pack('<I', 32))
        # numbers first, whatever refers to whatever; of two types with one name members mean the first
        numbers = []
        for top in tops:
            words = top.text.split()
            numbers.append(0)
            if words[0] == 'int':
                name, size, sign = ' '.join(words[3:]), int(words[1]), SIGNS[words[2]]
                self.known[name] = self.btf.add(INT, name, size, struct.pack('<I', sign << 24 | size * 8))
            elif words[0] in ('struct', 'union', 'enum'):
                numbers[-1] = self.btf.later()
                self.known.setdefault(' '.join(words[:2]), numbers[-1])
        for top, i in zip(tops, numbers):
            words = top.text.split()
            if i:
                self.aggregate(i, words[0], words[1], int(words[2]), top.inner)
            elif words[0] not in ('kernel', 'int'):
                self.use(words[0], top.text[len(words[0]) + 1:])
        return self.btf.data()


def main():
    facts, out = sys.argv[1:]
    with open(facts, encoding='utf-8') as f:
        lines = f.read().split('\n')
    try:
        data = Maker().make(lines)
    except (ValueError, IndexError) as e:
        sys.exit(f'{facts}: {e}')
    with open(out, 'wb') as f:
        f.write(data)
    return 0


if __name__ == '__main__':
    sys.exit(main())
