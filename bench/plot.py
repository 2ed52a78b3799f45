#!/usr/bin/env python3
"""Draws JSON lines of bench/run as SVG: bench/plot.py FOLDER FILE... Needs nothing but Python."""
import json
import math
import os
import sys

COLOURS = ["#1f6fb4", "#7fb2dd", "#d1495b", "#edae49", "#4f772d", "#888888"]
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 420, 80, 250, 40, 60


def label(value):
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= size:
            return f"{value / size:g}{unit}"
    return f"{value:g}"


def size(value):
    for unit, of in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if value >= of:
            return f"{value // of} {unit}"
    return f"{value} B"


def chart(path, title, x_title, y_title, series, label_of_x=label):
    """Lines on two logarithmic axes; series: name -> [(x, y)]."""
    series = {name: sorted(points) for name, points in series.items() if points}
    xs = [x for points in series.values() for x, _ in points]
    ys = [y for points in series.values() for _, y in points if y > 0]
    if not xs or not ys:
        return
    x0, x1 = math.log10(min(xs)), math.log10(max(xs) * 1.001)
    y0, y1 = math.floor(math.log10(min(ys))), math.ceil(math.log10(max(ys)))
    across = lambda x: LEFT + (math.log10(x) - x0) / max(x1 - x0, 1e-9) * (WIDTH - LEFT - RIGHT)
    down = lambda y: HEIGHT - BOTTOM - (math.log10(y) - y0) / max(y1 - y0, 1) * (HEIGHT - TOP - BOTTOM)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="22" font-size="15">{title}</text>',
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 14}" text-anchor="middle">{x_title}</text>',
        f'<text x="16" y="{(TOP + HEIGHT - BOTTOM) / 2}" text-anchor="middle" transform="rotate(-90 16 {(TOP + HEIGHT - BOTTOM) / 2})">{y_title}</text>',
    ]
    for power in range(y0, y1 + 1):
        y = down(10.0**power)
        out.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#dddddd"/><text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{label(10.0**power)}</text>')
    for x in sorted(set(xs)):
        out.append(f'<text x="{across(x):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle" font-size="10">{label_of_x(x)}</text>')
    for i, (name, points) in enumerate(series.items()):
        colour = COLOURS[i % len(COLOURS)]
        line = " ".join(f"{across(x):.1f},{down(y):.1f}" for x, y in points if y > 0)
        out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out.extend(f'<circle cx="{across(x):.1f}" cy="{down(y):.1f}" r="3" fill="{colour}"/>' for x, y in points if y > 0)
        out.append(f'<path d="M{WIDTH - RIGHT + 14} {TOP + 14 + 22 * i}h18" stroke="{colour}" stroke-width="2"/>')
        out.append(f'<text x="{WIDTH - RIGHT + 38}" y="{TOP + 18 + 22 * i}">{name}</text>')
    out.append("</svg>")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n")
    print(path)


def main(folder, *files):
    lines = []
    for name in files:
        with open(name, encoding="utf-8") as file:
            lines += [json.loads(line) for line in file if line.startswith("{")]
    bytes_per_second, messages_per_second = {}, {}
    for line in lines:
        if not line["name"].startswith("fork ") or "size" not in line:
            continue
        logged = "logged" if "logged" in line["name"] else "no log"
        values = {f"immortals, {logged}": line["value"], f"bare relay, {logged}": line["baseline"]}
        values.update({name: other["value"] for name, other in line["others"].items() if name.startswith("C++")})
        for name, value in values.items():
            bytes_per_second.setdefault(name, []).append((line["size"], value * line["size"] / 1e6))
            messages_per_second.setdefault(name, []).append((line["size"], value))
    chart(os.path.join(folder, "bench-bytes.svg"), "Payload one way, by message size", "message size", "MB/s", bytes_per_second, size)
    chart(os.path.join(folder, "bench-messages.svg"), "Messages one way, by message size", "message size", "messages/s", messages_per_second, size)
    curve = {}
    for line in lines:
        if line["name"].startswith("latency curve"):
            logged = "logged" if line["logged"] else "no log"
            curve.setdefault(f"p50, {logged}", []).append((line["offered"], line["value"]))
            curve.setdefault(f"p99, {logged}", []).append((line["offered"], line["p99"]))
    chart(os.path.join(folder, "bench-latency.svg"), "Latency of a request by offered load", "requests/s offered", "us", curve)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
