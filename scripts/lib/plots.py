# SPDX-License-Identifier: GPL-2.0
"""The plots of scripts/bench-report, drawn by gnuplot."""
import os
import statistics
import subprocess
import sys

from significance import compare, differs

# Told apart also by those who see no red or green.
COLOURS = {"stock": "#999999", "absent": "#56b4e9", "off": "#0072b2", "on": "#d55e00"}
FILES = {"same": "same file", "own": "own files"}
HEAD = """
set encoding utf8
set terminal pngcairo size {width},{height} font "DejaVu Sans,11" background "#ffffff"
set output "{path}"
set title "{title}" font ",13" offset 0,1.6
set key at screen 0.5, screen {key} center top horizontal samplen 2 width 1
set tmargin 5
set bmargin 5
set rmargin 3
set border 3 lc rgb "#444444"
set tics nomirror textcolor rgb "#222222"
set grid {grid} lc rgb "#dddddd" lt 1
"""


def gnuplot(script):
    done = subprocess.run(["gnuplot"], input=script, text=True, capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"gnuplot: {done.stderr.strip()}")


def head(path, title, width, height, grid="y"):
    # The key stands below the title, 45 pixels from the top.
    return HEAD.format(path=path, title=title, width=width, height=height, grid=grid,
                       key=1 - 45 / height)


def block(name, lines):
    return f"${name} << END\n" + "\n".join(lines) + "\nEND\n"


def quartiles(values):
    if len(values) < 2:
        return values[0], values[0]
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, high


def arm_bars(path, rows, arms, title):
    """A cluster of bars for each row, a bar for each arm, whiskers from quartile to quartile."""
    arms = {arm: name for arm, name in arms.items() if any(row.figures[arm] for row in rows)}
    width = 0.8 / len(arms)
    script = head(path, title, max(900, 75 * len(rows) + 150), 520)
    labels, plots = [], []
    largest = max(max(values) for row in rows for values in row.figures.values() if values)
    scale, unit = (1e6, "million") if largest >= 1e5 else (1e3, "thousand")
    for place, row in enumerate(rows):
        fs, threads, files, *_ = row.name.split("/")
        who = "1 thread" if threads == "1" else f"{threads} threads\\n{FILES[files]}"
        labels.append(f'"{fs}\\n{who}" {place}')
    for number, (arm, name) in enumerate(arms.items()):
        lines = []
        for place, row in enumerate(rows):
            if row.figures[arm]:
                low, high = quartiles(row.figures[arm])
                middle = statistics.median(row.figures[arm])
                at = place + (number - (len(arms) - 1) / 2) * width
                lines.append(f"{at} {middle / scale} {low / scale} {high / scale}")
        script += block(arm, lines)
        plots.append(f'${arm} using 1:2:3:4:({width * 0.92}) with boxerrorbars fill solid 1 '
                     f'noborder lc rgb "{COLOURS[arm]}" title "{name}"')
    script += f"""
set errorbars small lw 1.2 lc rgb "#000000"
set xtics ({", ".join(labels)}) font ",9"
set xrange [-0.6:{len(rows) - 0.4}]
set yrange [0:*]
set ylabel "{unit} reads/s (median, quartiles)"
plot {", ".join(plots)}
"""
    gnuplot(script)


def interval(base, new):
    """The ratio of the medians in per cent, and of the quartiles that are furthest apart."""
    low, high = quartiles(new)
    base_low, base_high = quartiles(base)
    middle = statistics.median(new) / statistics.median(base)
    return [100 * (ratio - 1) for ratio in (middle, low / base_high, high / base_low)]


def changes(path, groups, title):
    """Each row's change in per cent beside that of its control, from top to bottom."""
    control, found, unclear, labels = [], [], [], []
    at = lines = sum(len(rows) + 2 for _, rows in groups)
    for heading, rows in groups:
        at -= 1
        labels.append(f'"{{/:Bold {heading}}}" {at}')
        for row in rows:
            at -= 1
            labels.append(f'"{row.label()}" {at}')
            base, new, again = (row.figures[arm] for arm in ("off", "on", "again"))
            control.append(f"{' '.join(map(str, interval(base, again)))} {at - 0.2}")
            kind = found if differs(compare(base, new)) else unclear
            kind.append(f"{' '.join(map(str, interval(base, new)))} {at + 0.1}")
        at -= 1
    script = head(path, title, 1100, 150 + 18 * lines, "x")
    # A block without lines is an error to gnuplot.
    nothing = ["NaN NaN NaN NaN"]
    script += block("control", control) + block("found", found or nothing) + \
        block("unclear", unclear or nothing)
    on = f'pt 7 ps 0.9 lc rgb "{COLOURS["on"]}"'
    script += f"""
set ytics ({", ".join(labels)}) font ",9"
set yrange [0:{lines}]
set xlabel "change in per cent of reads off (median; bars from quartile to quartile)"
set arrow from 0, graph 0 to 0, graph 1 nohead lc rgb "#444444"
plot $control using 1:4:2:3 with xerrorbars pt 7 ps 0.5 lc rgb "#aaaaaa" \
         title "reads off again (control)", \
     $unclear using 1:4:2:3 with xerrorbars {on.replace("pt 7", "pt 6")} \
         title "reads on, no difference found", \
     $found using 1:4:2:3 with xerrorbars {on} title "reads on"
"""
    gnuplot(script)


def block_sizes(path, rows, title):
    """Reads per second by block size, a panel for each size of file."""
    file_sizes = sorted({int(row.name.split("/")[4]) for row in rows})
    script = head(path, "", 1100, 520)
    script += f"""
set multiplot layout 1,{len(file_sizes)} title "{title}" font ",13"
set logscale x 4
set xlabel "bytes a read"
set ylabel "million reads/s (median)"
set yrange [0:*]
set key at graph 0.05, graph 0.05 left bottom vertical Left reverse
"""
    for file_bytes in file_sizes:
        plots = []
        for arm in ("off", "on"):
            for files, line in (("same", "dt 1 pt 7"), ("own", "dt 3 pt 6")):
                lines = []
                for row in rows:
                    parts = row.name.split("/")
                    if parts[2] == files and parts[4] == str(file_bytes) and row.figures[arm]:
                        rate = statistics.median(row.figures[arm]) * 2**20 / int(parts[3])
                        lines.append((int(parts[3]), rate / 1e6))
                name_of_block = f"b{file_bytes}{arm}{files}"
                script += block(name_of_block, [f"{x} {y}" for x, y in sorted(lines)])
                plots.append(f'${name_of_block} with linespoints lw 2 {line} '
                             f'lc rgb "{COLOURS[arm]}" title "reads {arm}, {FILES[files]}"')
        of = f"{file_bytes // 1024} KiB" if file_bytes < 2**20 else f"{file_bytes // 2**20} MiB"
        script += f'set title "files of {of}"\nplot {", ".join(plots)}\n'
    gnuplot(script + "unset multiplot\n")


def runs(path, rows, arms, title):
    """Every run as a point, in per cent of the median with the reads off."""
    arms = {**arms, "again": "reads off again"}
    arms = {arm: name for arm, name in arms.items() if any(row.figures[arm] for row in rows)}
    colours = {**COLOURS, "again": "#bbbbbb"}
    script = head(path, title, max(900, 220 * len(rows)), 520)
    plots = []
    for number, (arm, name) in enumerate(arms.items()):
        points, medians = [], []
        for place, row in enumerate(rows):
            base = statistics.median(row.figures["off"])
            at = place + (number - (len(arms) - 1) / 2) * 0.8 / len(arms)
            values = [100 * value / base for value in row.figures[arm]]
            # Side by side where they would hide each other.
            points += [f"{at + 0.012 * (i % 5 - 2)} {value}" for i, value in enumerate(values)]
            if values:
                medians.append(f"{at} {statistics.median(values)}")
        script += block("p" + arm, points) + block("m" + arm, medians)
        plots.append(f'$p{arm} with points pt 7 ps 0.7 lc rgb "{colours[arm]}" title "{name}", '
                     f'$m{arm} using 1:2:(0.06) with xerrorbars pt 0 lw 2 lc rgb "#000000" notitle')
    labels = []
    for place, row in enumerate(rows):
        what, unit = row.name.split("/")[3].replace("-", " "), row.unit
        better = "lower is better" if unit == "ms/drop" else "higher is better"
        labels.append(f'"{what}\\n{unit} ({better})" {place}')
    script += f"""
set xtics ({", ".join(labels)}) font ",9"
set xrange [-0.6:{len(rows) - 0.4}]
set ylabel "per cent of the median with reads off"
set arrow from graph 0, first 100 to graph 1, first 100 nohead lc rgb "#444444" dt 2
plot {", ".join(plots)}
"""
    gnuplot(script)


def draw(directory, groups, arms):
    """As PNG, those for which there is data; groups are (name, title, rows)."""
    measured = {name: (title, [row for row in rows if row.figures["on"]])
                for name, title, rows in groups}
    measured = {name: found for name, found in measured.items() if found[1]}

    def path(name):
        return os.path.join(directory, name + ".png")
    for name, (title, rows) in measured.items():
        if name in ("small", "large"):
            arm_bars(path(name), rows, arms, title)
        elif name == "blocks":
            block_sizes(path(name), rows, title)
        elif name == "costs":
            runs(path(name), rows, arms, title + ": every run")
    if measured:
        changes(path("changes"), list(measured.values()), "Reads on against reads off")
