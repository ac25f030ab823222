# SPDX-License-Identifier: GPL-2.0
"""Reads the files that scripts/record-accesses leaves: accesses, objects, symbols, fields."""
import bisect
import collections
import os
import re

LINE_BYTES = 64
WRITES = "wWac"
ATOMICS = "ac"
USER_END = 1 << 47
# Per-CPU variables have addresses relative to their area in System.map.
PERCPU_END = 1 << 24

Access = collections.namedtuple("Access", "ordinal kind code vaddr paddr bytes")
Object = collections.namedtuple("Object", "reader name type start size")


class Read:
    """One read() of one CPU."""

    def __init__(self, cpu, instructions, accesses):
        self.cpu = cpu
        self.instructions = instructions
        self.accesses = accesses


def line_of(access):
    return access.paddr // LINE_BYTES


class Trace:
    """What was recorded of one case."""

    def __init__(self, path):
        self.path = path
        self.name = os.path.basename(path).removesuffix(".trace")
        self.objects = []
        self.percpu = {}
        self.notes = []
        self.reads = []
        with open(path, encoding="utf-8") as lines:
            self._parse(lines)
        # An interrupt or a move to another CPU makes a read longer; on a busy machine
        # most reads meet one. Those that did not fit into the buffer have no length.
        whole = [read for read in self.reads if read.instructions]
        shortest = {cpu: min(read.instructions for read in whole if read.cpu == cpu)
                    for cpu in {read.cpu for read in whole}}
        self.undisturbed = [read for read in whole
                            if read.instructions <= 1.01 * shortest[read.cpu]]

    def _parse(self, lines):
        reader, accesses = 0, []
        for number, line in enumerate(lines, 1):
            word = line.split()
            if not word or word[0] == "recording":
                continue
            if word[0] == "reader":
                reader = int(word[1])
            elif word[0] == "object":
                self.objects.append(Object(reader, word[1], word[2], int(word[3], 16),
                                           int(word[4])))
            elif word[0] == "percpu":
                self.percpu[int(word[1])] = int(word[2], 16)
            elif word[0] == "#":
                self.notes.append(line[2:].strip())
            elif word[0] == "read":
                self.reads.append(Read(int(word[1]), int(word[2]), accesses))
                accesses = []
            elif len(word) == 6:
                accesses.append(Access(int(word[0]), word[1], int(word[2], 16), int(word[3], 16),
                                       int(word[4], 16), int(word[5])))
            else:
                raise ValueError(f"{self.path}:{number}: not a line of a trace: {line.strip()}")

    def cpus(self):
        return sorted({read.cpu for read in self.reads})

    def shared_lines(self):
        """The lines that more than one CPU touches, those that are written apart."""
        users, writers = collections.defaultdict(set), set()
        for read in self.undisturbed:
            for access in read.accesses:
                line = line_of(access)
                users[line].add(read.cpu)
                if access.kind in WRITES:
                    writers.add(line)
        shared = {line for line, cpus in users.items() if len(cpus) > 1}
        return shared, shared & writers

    def typical(self, cpu):
        """A read of the CPU's whose accesses are those of most of its reads."""
        def shape(read):
            return tuple((a.ordinal, a.kind, a.code, line_of(a)) for a in read.accesses)

        reads = [read for read in self.undisturbed if read.cpu == cpu]
        common = collections.Counter(map(shape, reads)).most_common(1)[0][0]
        return next(read for read in reads if shape(read) == common)


class Symbols:
    """Names of the kernel's and the module's code and data."""

    def __init__(self, path):
        table = []
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                word = line.split()
                table.append((int(word[0], 16), word[2]))
        table.sort()
        self.addresses = [address for address, _ in table]
        self.names = [name for _, name in table]

    def name(self, address):
        if address < USER_END and address >= PERCPU_END:
            return "user"
        i = bisect.bisect_right(self.addresses, address) - 1
        return self.names[i] if i >= 0 else hex(address)


class Fields:
    """The fields of structures, as pahole prints them."""

    _struct = re.compile(r"^struct (\w+) \{")
    _field = re.compile(r"^\s+(.*?)\(?\*?(\w+)\)?(?:\(.*\)|\[\d*\]|:\d+)*\s*;"
                        r"\s*/\*\s*(\d+)(?::\s*\d+)?\s+(\d+) \*/")

    _size = re.compile(r"^\t/\* size: (\d+),")
    _attribute = re.compile(r"\s*__attribute__\(\(.*?\)\)+")

    def __init__(self, path):
        self.structs = {}
        self.sizes = {}
        struct = None
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                begin = self._struct.match(line)
                if begin:
                    name = begin[1]
                    struct = self.structs.setdefault(name, [])
                elif line.startswith("}"):
                    struct = None
                elif struct is not None:
                    size = self._size.match(line)
                    if size:
                        self.sizes[name] = int(size[1])
                    field = self._field.match(self._attribute.sub("", line))
                    if field:
                        struct.append((int(field[3]), int(field[4]), field[2], field[1].strip()))

    def at(self, struct, offset):
        """The name of the field at an offset, through the structures within."""
        for start, size, name, kind in self.structs.get(struct, ()):
            if not start <= offset < start + size:
                continue
            inner = re.fullmatch(r"(?:const )?struct (\w+)", kind)
            if inner and inner[1] in self.sizes:
                within = (offset - start) % self.sizes[inner[1]]
                return f"{name}.{self.at(inner[1], within)}"
            return name
        return f"+{offset}"


class Names:
    """What an access touched and what code it was, in words."""

    def __init__(self, directory):
        self.symbols = Symbols(os.path.join(directory, "symbols"))
        self.fields = Fields(os.path.join(directory, "fields"))

    def code(self, access):
        return self.symbols.name(access.code)

    def data(self, trace, access):
        vaddr = access.vaddr
        if vaddr < USER_END:
            return "user memory"
        for item in trace.objects:
            if item.start <= vaddr < item.start + item.size:
                if item.type == "-":
                    return f"{item.name}+{vaddr - item.start:#x}"
                return f"{item.name}.{self.fields.at(item.type, vaddr - item.start)}"
        for base in trace.percpu.values():
            if base <= vaddr < base + PERCPU_END:
                return f"percpu {self.symbols.name(vaddr - base)}"
        if vaddr >= 0xffffffff80000000:
            return self.symbols.name(vaddr)
        return f"unknown {vaddr:#x}"
