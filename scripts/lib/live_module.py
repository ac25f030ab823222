# SPDX-License-Identifier: GPL-2.0
"""The refless module of the running kernel: is it there, switch it, what it counts."""
import os
import re
import subprocess

# Tests put a tree of files in the place of the kernel's.
ROOT = os.environ.get("REFLESS_TEST_ROOT", "")
MODULE = ROOT + "/sys/module/refless"
DEBUGFS = ROOT + "/sys/kernel/debug/refless"


class Unusable(Exception):
    """Why nothing can be measured here, in one line for the person who asked."""


def read_file(path):
    with open(path, encoding="utf-8") as file:
        return file.read().strip()


def loaded():
    return os.path.isdir(MODULE + "/parameters")


def check_kernel():
    """The names of symbols are there for all to read, even where addresses are not."""
    with open(ROOT + "/proc/kallsyms", encoding="utf-8") as symbols:
        if not any(re.search(r" refless_hook_abi(\s|$)", line) for line in symbols):
            raise Unusable("this kernel has no refless hooks: build one with hooks.patch "
                           "(README.md, Install on a live machine)")


def parameters():
    directory = MODULE + "/parameters"
    return {name: read_file(f"{directory}/{name}") for name in sorted(os.listdir(directory))}


def write_parameter(name, value):
    with open(f"{MODULE}/parameters/{name}", "w", encoding="utf-8") as file:
        file.write(value + "\n")


def run_tool(*command):
    """One of kmod's; it says why it failed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().replace("\n", "; ")
        raise Unusable(f"{' '.join(command)}: {said or f'exit status {done.returncode}'}")


class ByParameter:
    """Reads on and off by the parameter "read"; the module stays loaded."""
    method = "the parameter read"

    def __init__(self):
        if not loaded():
            check_kernel()
            raise Unusable("the module is not loaded: modprobe refless, "
                           "or insmod refless.ko where it was built")
        self.before = read_file(MODULE + "/parameters/read")

    def switch(self, on):
        write_parameter("read", "1" if on else "0")

    def restore(self):
        if loaded():
            write_parameter("read", self.before)


class ByReload:
    """The module loaded and not, anew for each run."""
    method = "loading and unloading"

    def __init__(self, file=None):
        check_kernel()
        if file and not os.path.isfile(file):
            raise Unusable(f"{file}: no such module file")
        self.load_command = ["insmod", file] if file else ["modprobe", "refless"]
        self.loaded_before = loaded()
        self.parameters = parameters() if self.loaded_before else {}

    def load(self, **changed):
        options = {**self.parameters, **changed}
        run_tool(*self.load_command, *(f"{name}={value}" for name, value in options.items()))

    def switch(self, on):
        if loaded():
            run_tool("rmmod", "refless")
        if on:
            self.load(read="1")

    def restore(self):
        if loaded():
            run_tool("rmmod", "refless")
        if self.loaded_before:
            self.load()


def counters():
    """By name, and the peak of what waited; None without the module or debugfs."""
    try:
        summary = read_file(DEBUGFS + "/summary")
    except OSError:
        return None
    counted = {}
    for text in summary.splitlines():
        if found := re.match(r"(\w+) +(\d+) ", text + " "):
            counted[found[1]] = int(found[2])
        elif found := re.match(r"total now \d+ peak (\d+)", text):
            counted["peak"] = int(found[1])
    return counted
