# SPDX-License-Identifier: GPL-2.0
"""Many CPUs run one recorded read over and over: a discrete-event simulation.

A read is a list of steps: local time, then an access to a line that CPUs share and
write. All else that the read touches is its CPU's own, or only read, and so hits.

The rules, for each line (MOESI; who holds it is known to a directory at its home):

- A load hits if the CPU holds a copy, a store or atomic operation if it holds the only
  one. A hit costs nothing beyond its instruction; an atomic one `atomic_ns`.
- Everything else is a transfer. The directory serves a line's transfers one at a time,
  in the order of the requests: one every `transfer_ns`. The requester goes on
  `latency_ns` after its turn came. From another socket both are `remote` times as long.
- A store or atomic operation takes all other copies away, a load none. Who was given a
  line keeps it for `hold_ns` at least, so that what follows at once still hits.
- A compare-and-exchange fails if another CPU has changed the word since this CPU's last
  look at it. It has brought the line in then; the code tries again after `retry_ns`.
- A lock that is found taken is waited for in a queue, first come first served. Its
  release hands it to the next in the queue, who runs `handoff_ns` later: waking it,
  the queue's own lines and the scheduler are all in there.
"""
import collections
import heapq

Step = collections.namedtuple("Step", "local_ns kind line word role")
# role of a step
PLAIN, ACQUIRE, RELEASE = "plain", "acquire", "release"
Machine = collections.namedtuple("Machine", "transfer_ns latency_ns hold_ns atomic_ns retry_ns "
                                            "handoff_ns remote cpus_per_socket")


def keep(until, cpu, time):
    until[cpu] = max(time, until.get(cpu, time))


class Line:
    """Who holds a line, and until when its directory is busy."""

    def __init__(self):
        self.owner = None
        self.sharers = set()
        self.free_at = 0.0
        # Until when a CPU has a copy, or the only one, though others ask for it.
        self.kept_copy = {}
        self.kept_only = {}
        self.socket = None

    def holds(self, cpu, exclusive, now):
        if self.owner == cpu or now <= self.kept_only.get(cpu, -1.0):
            return True
        return not exclusive and (cpu in self.sharers or now <= self.kept_copy.get(cpu, -1.0))

    def give(self, cpu, exclusive, turn, keeps_until):
        """At @turn the CPU is served; the others have what they have until then."""
        if self.owner is not None:
            keep(self.kept_only, self.owner, turn)
        if exclusive:
            for other in self.sharers:
                keep(self.kept_copy, other, turn)
            self.owner = cpu
            self.sharers = set()
        else:
            self.sharers.add(cpu)
            if self.owner is not None:
                self.sharers.add(self.owner)
            self.owner = None
        keep(self.kept_only if exclusive else self.kept_copy, cpu, keeps_until)


class Simulation:
    """CPUs that repeat one read."""

    def __init__(self, machine, cpus, steps, rest_ns, slowdown):
        self.machine = machine
        self.cpus = cpus
        self.steps = [step._replace(local_ns=step.local_ns * slowdown) for step in steps]
        self.rest_ns = rest_ns * slowdown
        self.lines = collections.defaultdict(Line)
        self.versions = collections.Counter()
        self.seen = {}
        self.lock_holder = {}
        self.lock_queue = collections.defaultdict(collections.deque)
        self.transfers = 0

    def _transfer(self, cpu, line, exclusive, now):
        machine = self.machine
        socket = cpu // machine.cpus_per_socket
        far = machine.remote if line.socket not in (None, socket) else 1.0
        start = max(now, line.free_at)
        line.free_at = start + machine.transfer_ns * far
        arrives = start + machine.latency_ns * far
        line.socket = socket
        line.give(cpu, exclusive, start, arrives + machine.hold_ns)
        self.transfers += 1
        return arrives

    def _access(self, cpu, step, now):
        """When is the access done, and did it do what it wanted?"""
        line = self.lines[step.line]
        exclusive = step.kind != "r"
        if line.holds(cpu, exclusive, now):
            done, hit = now, True
        else:
            done, hit = self._transfer(cpu, line, exclusive, now), False
        if step.kind in "ac":
            done += self.machine.atomic_ns
        word = step.word
        lost = step.kind == "c" and not hit and \
            self.seen.get((cpu, word)) != self.versions[word]
        if exclusive and not lost:
            self.versions[word] += 1
        self.seen[cpu, word] = self.versions[word]
        return done, not lost

    def run(self, reads_per_cpu, warm_up):
        """Reads per nanosecond, once the first reads of each CPU are over."""
        steps, last = self.steps, len(self.steps)
        position = [0] * self.cpus
        finished = [0] * self.cpus
        # The CPUs do not start in step.
        period = self.rest_ns + sum(step.local_ns for step in steps)
        events = [(period * cpu / self.cpus, cpu) for cpu in range(self.cpus)]
        if steps:
            events = [(now + steps[0].local_ns, cpu) for now, cpu in events]
        heapq.heapify(events)
        counted, began, ended = 0, None, 0.0
        target = self.cpus * reads_per_cpu
        total = 0
        while total < target:
            now, cpu = heapq.heappop(events)
            at = position[cpu]
            if at < last:
                step = steps[at]
                now, worked = self._access(cpu, step, now)
                if not worked:
                    heapq.heappush(events, (now + self.machine.retry_ns, cpu))
                    continue
                if step.role == ACQUIRE and self.lock_holder.get(step.word) not in (None, cpu):
                    self.lock_queue[step.word].append(cpu)
                    continue
                if step.role == ACQUIRE:
                    self.lock_holder[step.word] = cpu
                elif step.role == RELEASE:
                    self._hand_over(step, now, events, position)
                at += 1
            if at >= last:
                now += self.rest_ns
                at = 0
                finished[cpu] += 1
                total += 1
                if total > self.cpus * warm_up:
                    began = now if began is None else began
                    counted += 1
                    ended = max(ended, now)
            position[cpu] = at
            heapq.heappush(events, (now + (steps[at].local_ns if steps else 0.0), cpu))
        return (counted - 1) / (ended - began)

    def _hand_over(self, step, now, events, position):
        queue = self.lock_queue[step.word]
        if not queue:
            self.lock_holder[step.word] = None
            return
        waiter = queue.popleft()
        self.lock_holder[step.word] = waiter
        runs = now + self.machine.handoff_ns
        self.lines[step.line].give(waiter, True, now, runs + self.machine.hold_ns)
        position[waiter] += 1
        heapq.heappush(events, (runs + self.steps[position[waiter]].local_ns, waiter))


def rate(machine, cpus, steps, rest_ns, slowdown=1.0, reads_per_cpu=60, warm_up=20):
    """Reads per second of so many CPUs."""
    if not steps:
        return cpus / (rest_ns * slowdown) * 1e9
    simulation = Simulation(machine, cpus, steps, rest_ns, slowdown)
    return simulation.run(reads_per_cpu, warm_up) * 1e9
