"""Draws the pictures of the algorithm pages: `python3 draw.py` writes the SVG files beside it.

All pages use one graph, so that its pictures can be compared. Each picture is a row of panels, and
each panel is the graph at one moment of a solve. Colors are readable on light and dark backgrounds.
"""

import pathlib

# Edge id -> (end, end, weight).
EDGES = [
    (0, 1, 2), (0, 4, 4), (1, 4, 3), (1, 2, 6), (1, 5, 6), (4, 5, 9),
    (5, 6, 1), (2, 3, 3), (2, 6, 5), (2, 7, 6), (3, 7, 8), (6, 7, 4),
]
FOREST = {0, 2, 3, 6, 7, 8, 11}
ALL = set(range(12))
PLACES = [(col * 68, row * 76) for row in (0, 1) for col in range(4)]

TEXT, LINE = "#6e7781", "#8c959f"
GREEN, ORANGE = "#2da44e", "#e8710a"
PLAIN_VERTEX = "#d0d7de"
FILLS = ["#9ecbff", "#ffd8a8", "#b7e4c7", "#e5c7f2"]
LEFT, RIGHT, MIDDLE = [0, 1, 4], [2, 3], [5, 6, 7]
ROUND_1 = dict.fromkeys(LEFT, 0) | dict.fromkeys(RIGHT, 1) | dict.fromkeys(MIDDLE, 2)
JOINED = dict.fromkeys(LEFT, 0) | dict.fromkeys(RIGHT + MIDDLE, 2)


def text(x, y, words, size=12, color=TEXT, anchor="start", weight="normal"):
    return (f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{color}" '
            f'text-anchor="{anchor}" font-weight="{weight}">{words}</text>')


def line(a, b, color=LINE, width=1.5, dash="", arrow=False):
    extra = f' stroke-dasharray="{dash}"' if dash else ""
    extra += ' marker-end="url(#arrow)"' if arrow else ""
    return (f'<line x1="{a[0]:g}" y1="{a[1]:g}" x2="{b[0]:g}" y2="{b[1]:g}" '
            f'stroke="{color}" stroke-width="{width}"{extra}/>')


def disk(place, words, fill=PLAIN_VERTEX, ring=LINE, radius=12):
    x, y = place
    return (f'<circle cx="{x:g}" cy="{y:g}" r="{radius}" fill="{fill}" stroke="{ring}" '
            f'stroke-width="1.5"/>' + text(x, y + 4, words, 12, "#1f2328", "middle"))


def cell(x, y, words, fill="none", width=46, color=TEXT):
    return (f'<rect x="{x:g}" y="{y:g}" width="{width}" height="22" fill="{fill}" '
            f'stroke="{LINE}"/>' + text(x + width / 2, y + 15, words, 11, color, "middle"))


def label(a, b, words, gap):
    """The weight of an edge, beside its middle; above a horizontal edge by `gap`."""
    (x, y) = (a[0] + b[0]) / 2, (a[1] + b[1]) / 2
    if a[1] == b[1]:
        return text(x, y - gap, words, 11, anchor="middle")
    if a[0] == b[0]:
        return text(x - 4, y + 4, words, 11, anchor="end")
    return text(x + 7, y + 4, words, 11)


def wide_label(a, b, words):
    """The weight and the id of an edge, where they have room."""
    if a[1] == b[1]:
        return text((a[0] + b[0]) / 2, a[1] - 4, words, 11, anchor="middle")
    share = 0.5 if a[0] == b[0] else 0.75 if b[0] < a[0] else 0.25
    x, y = a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])
    return text(x + (4 if a[0] == b[0] else 8), y + 4, words, 11)


def graph(title, *, new=(), forest=(), dropped=(), hidden=(), fills=None, rings=(), note="",
          arrows=(), ids=False):
    """One panel. `new` edges are chosen in this step, `forest` edges earlier."""
    places = [(1.5 * x, 1.3 * y) for x, y in PLACES] if ids else PLACES
    gap = 10 if arrows else 4
    out = [text(-14, -34, title, 13, weight="bold")]
    for edge, (u, v, weight) in enumerate(EDGES):
        if edge in hidden:
            continue
        a, b = places[u], places[v]
        if edge in dropped:
            out.append(line(a, b, LINE, 1.2, "3 4"))
        elif edge in new:
            out.append(line(a, b, ORANGE, 4))
        elif edge in forest:
            out.append(line(a, b, GREEN, 4))
        else:
            out.append(line(a, b))
        out.append(wide_label(a, b, f"{weight} (e{edge})") if ids else label(a, b, weight, gap))
    for u, v in arrows:
        (ax, ay), (bx, by) = PLACES[u], PLACES[v]
        length = ((bx - ax) ** 2 + (by - ay) ** 2) ** 0.5
        dx, dy = (bx - ax) / length, (by - ay) / length
        # Beside the edge, so that two arrows of a pair do not cover each other.
        a = (ax + 14 * dx - 5 * dy, ay + 14 * dy + 5 * dx)
        b = (bx - 20 * dx - 5 * dy, by - 20 * dy + 5 * dx)
        out.append(line(a, b, ORANGE, 2, arrow=True))
    for vertex, place in enumerate(places):
        fill = FILLS[fills[vertex]] if fills and vertex in fills else PLAIN_VERTEX
        out.append(disk(place, vertex, fill, ORANGE if vertex in rings else LINE))
    for index, words in enumerate(note.split("\n")):
        out.append(text(-14, 110 + 16 * index, words))
    return "\n".join(out)


def contracted(title, links, note="", names=("0", "1", "2")):
    """The graph of three components. `links` are (a, b, words, is chosen)."""
    places = [(6, 0), (214, 0), (110, 96)] if names[2] else [(6, 40), (214, 40)]
    out = [text(-14, -34, title, 13, weight="bold")]
    # Parallel edges are drawn side by side.
    seen = {}
    for a, b, words, is_new in links:
        count = sum(1 for other in links if other[:2] == (a, b))
        index = seen[a, b] = seen.get((a, b), -1) + 1
        (ax, ay), (bx, by) = places[a], places[b]
        length = ((bx - ax) ** 2 + (by - ay) ** 2) ** 0.5
        px, py = -(by - ay) / length, (bx - ax) / length
        off = 36 * (index - (count - 1) / 2)
        x, y = (ax + bx) / 2 + off * px, (ay + by) / 2 + off * py
        color, width = (ORANGE, 4) if is_new else (LINE, 1.5)
        out.append(f'<path d="M{ax:g} {ay:g}Q{x + off * px:g} {y + off * py:g} {bx:g} {by:g}" '
                   f'fill="none" stroke="{color}" stroke-width="{width}"/>')
        # The label is beside the curve, and the labels of parallel edges at different heights.
        side = 9 if off < 0 else -9
        along = 0.22 * (index - (count - 1) / 2) * (1 if ay != by else 0)
        out.append(text(x - side * px + along * (bx - ax), y - side * py + along * (by - ay) + 4,
                        words, 11, anchor="middle"))
    for index, place in enumerate(places):
        out.append(disk(place, names[index], FILLS[index], radius=14))
    for index, words in enumerate(note.split("\n")):
        out.append(text(-14, 126 + 16 * index, words))
    return "\n".join(out)


def picture(name, about, panels, width=272, height=200):
    body = "\n".join(f'<g transform="translate({26 + width * index} 52)">\n{panel}\n</g>'
                     for index, panel in enumerate(panels))
    full = width * len(panels)
    pathlib.Path(__file__).with_name(f"{name}.svg").write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {full} {height}" width="{full}" '
        f'height="{height}" font-family="sans-serif" role="img">\n<title>{about}</title>\n'
        f'<defs><marker id="arrow" viewBox="0 0 8 8" refX="4" refY="4" markerWidth="4" '
        f'markerHeight="4" orient="auto"><path d="M0 0L8 4L0 8z" fill="{ORANGE}"/></marker></defs>'
        f"\n{body}\n</svg>\n")


def table(title, head, rows, chosen=(), widths=(76, 80, 80, 80)):
    """A table of words; `chosen` are the columns to highlight."""
    out = [text(-14, -34, title, 13, weight="bold")]
    for y, row in enumerate([head, *rows]):
        x = -14
        for column, words in enumerate(row):
            fill = FILLS[1] if y > 0 and column in chosen else "none"
            color = "#1f2328" if fill != "none" else TEXT
            out.append(cell(x, -22 + 22 * y, words, fill, widths[column], color))
            x += widths[column]
    return "\n".join(out)


def sequential():
    picture("example", "The example graph and its minimum spanning forest", [
        graph("weight and (id) of each edge", ids=True),
        graph("the forest, total weight 24", forest=FOREST, dropped=ALL - FOREST, ids=True),
    ], width=380, height=180)
    picture("kruskal", "Kruskal's algorithm", [
        graph("1. Edges of weight 1 to 3", new={6, 0, 2, 7}, note="e6, e0, e2, e7 join"),
        graph("2. Weights 4 and 5", forest={6, 0, 2, 7}, new={11, 8}, dropped={1}, fills=ROUND_1,
              note="e1 closes a cycle; e11, e8 join"),
        graph("3. Weight 6", forest=FOREST - {3}, new={3}, dropped={1, 4, 5, 9, 10},
              note="e3 joins the last two components;\nthe other four edges are not looked at"),
    ])
    picture("filter-kruskal", "Filter-Kruskal", [
        graph("1. Sort and unite up to the pivot", new={6, 0, 2, 7, 11, 8}, dropped={1},
              hidden={3, 4, 5, 9, 10}, note="the 7 edges up to weight 5 are light"),
        graph("2. Filter the heavy edges", forest=FOREST - {3}, fills=JOINED, dropped={9, 10},
              hidden={1}, note="e9 and e10 are inside a component:\ndropped without being sorted"),
        graph("3. The next turn", forest=FOREST - {3}, new={3}, dropped={4, 5}, hidden={1, 9, 10},
              note="3 edges are left to sort"),
    ])
    picture("prim", "Prim's algorithm", [
        graph("1. The tree is vertex 0", new={0}, fills={0: 0}, rings={1, 4},
              note="queue: 1 by weight 2, 4 by 4"),
        graph("2. The rank of 4 decreases", forest={0}, new={2}, dropped={1}, fills={0: 0, 1: 0},
              rings={4, 2, 5}, note="queue: 4 by 3, 2 by 6, 5 by 6"),
        graph("3. Two edges of weight 6", forest={0, 2}, new={3}, dropped={1},
              fills=dict.fromkeys(LEFT, 0), rings={2, 5}, note="e3 wins by its lower id"),
        graph("4. Complete", forest=FOREST, dropped=ALL - FOREST, fills=dict.fromkeys(range(8), 0),
              note="then 3, 6, 5 and 7 joined"),
    ])
    picture("boruvka", "Borůvka's algorithm", [
        graph("Round 1: every vertex chooses",
              arrows=[(0, 1), (1, 0), (4, 1), (2, 3), (3, 2), (5, 6), (6, 5), (7, 6)],
              note="5 edges; 0 and 1 choose the same one"),
        graph("hook, then filter", forest={0, 2, 6, 7, 11}, dropped={1}, fills=ROUND_1,
              note="3 components are left; e1 is inside one"),
        graph("Round 2", forest={0, 2, 6, 7, 11}, new={3, 8}, hidden={1}, fills=ROUND_1,
              note="the left component chooses e3,\nboth others choose e8"),
    ])
    picture("reverse-delete", "Reverse-delete", [
        graph("1. Weights 9, 8, 6, 6", dropped={5, 10, 9, 4},
              note="e5, e10, e9, e4: the ends stay\nconnected, so each is deleted"),
        graph("2. e3 is a bridge now", forest={3}, hidden={5, 10, 9, 4},
              note="its ends would be separated: kept"),
        graph("3. Down to the last cycle", forest=FOREST, dropped={1}, hidden={5, 10, 9, 4},
              note="e8 and e11 are kept, e1 is deleted;\nno cycle is left: the rest is kept"),
    ])


def parallel():
    links = [(0, 1, "e3", True), (0, 2, "e4", False), (0, 2, "e5", False),
             (1, 2, "e8", True), (1, 2, "e9", False), (1, 2, "e10", False)]
    picture("boruvka-contract", "Borůvka's algorithm with contraction", [
        graph("1. Find minimum edges", arrows=[(0, 1), (1, 0), (4, 1), (2, 3), (3, 2), (5, 6),
                                               (6, 5), (7, 6)], note="an edge for each vertex"),
        graph("2. Remove mirrors, find colors", fills=ROUND_1,
              arrows=[(1, 0), (4, 1), (3, 2), (6, 5), (7, 6)], rings={0, 2, 5},
              note="0, 2 and 5 removed their image: roots.\n"
              "All others take the color of the root."),
        contracted("3. The contracted graph", links,
                   "new ids 0, 1, 2; e1 is gone;\nparallel edges stay"),
    ], height=214)
    picture("prim-collide", "Several instances of Prim's algorithm that collide", [
        graph("1. Three trees start", fills={0: 0, 3: 1, 6: 2}, rings={0, 3, 6},
              new={0, 7, 6}, note="at 0, 3 and 6; each chooses its\n"
              "lightest edge and claims a vertex"),
        graph("2. They grow and collide", forest={0, 2, 6, 7, 11}, new={3, 8}, fills=ROUND_1,
              rings={0, 3, 6}, note="tree 0 chooses e3: vertex 2 is taken.\n"
              "Trees 3 and 6 both choose e8."),
        contracted("3. Trees hook and contract", [(0, 1, "e3", True), (1, 2, "e8", True)],
                   "0 hooks onto 3; 3 and 6 hook onto each\nother, so 3 is the root: one vertex",
                   ("0", "3", "6")),
    ], height=214)
    trees = {0: 0, 1: 0, 4: 0, 2: 1, 3: 1, 5: 2, 6: 2, 7: 2}
    unified = {vertex: min(tree, 1) for vertex, tree in trees.items()}
    picture("pma", "Partial Prim in parallel, gamma = 3", [
        graph("1. Three processors start", fills={0: 0, 2: 1, 5: 2}, rings={0, 2, 5},
              new={0, 7, 6}, note="at 0, 2 and 5; each chooses its\n"
              "lightest edge and claims a vertex"),
        graph("2. Trees end", forest={0, 7, 6}, new={2, 8, 11}, fills=trees, rings={0, 2, 5},
              note="trees 0 and 5 have gamma vertices;\n"
              "tree 2 chooses e8 and touches tree 5"),
        graph("3. Unify, then iteration 2", forest={0, 7, 6, 2, 8, 11}, new={3}, dropped={4, 5},
              hidden={1, 9, 10}, fills=unified, note="two vertices are left; of the parallel\n"
              "edges e3, e4 and e5, e3 stays"),
    ], height=214)
    one = [(0, 1, "e3", True), (0, 2, "e4", False), (1, 2, "e8", True)]
    picture("fast-contract", "fast on a sparse graph", [
        graph("1. write_min, then hook",
              arrows=[(0, 1), (1, 0), (4, 1), (2, 3), (3, 2), (5, 6), (6, 5), (7, 6)],
              rings={0, 2, 5}, note="roots: 0, 2 and 5"),
        graph("2. Number and label", forest={0, 2, 6, 7, 11}, fills=ROUND_1,
              note="every vertex gets the number of\nits component: 0, 1 or 2"),
        contracted("3. Rewrite as records", one, "e1 is inside a component; e5, e9, e10\n"
                   "are heavier parallel edges: 3 of 12 stay"),
    ], height=214)
    picture("fast-filter", "fast on a dense graph", [
        graph("1. The batch up to the pivot", new={6, 0, 2, 7, 11, 8}, dropped={1},
              hidden={3, 4, 5, 9, 10}, note="its forest is found by sorting or\nby rounds"),
        graph("2. Filter", forest=FOREST - {3}, fills=JOINED, dropped={9, 10}, hidden={1},
              note="the giant component is green;\ne9 and e10 have both ends in it"),
        graph("3. Edges to the giant component", forest=FOREST - {3}, fills=JOINED,
              new={3, 5}, dropped={4}, hidden={1, 9, 10},
              note="only the lightest to each vertex stays:\n"
              "e3 to 1, e5 to 4. e3 is in the forest."),
    ])


def entry(place, y, words, edge, chosen):
    """An edge in a list: its ends in a cell, its id below."""
    color, fill = ("#1f2328", FILLS[1]) if chosen else (TEXT, "none")
    return (cell(-14 + 50 * place, y, words, fill, 46, color)
            + text(9 + 50 * place, y + 36, f"e{edge}", 10, anchor="middle"))


def lists():
    out = [text(-14, -34, "round 1: every edge is a list entry", 13, weight="bold"),
           text(-14, -4, "lightest: chosen by an end"),
           text(-14, 70, "map: new ends"),
           text(-14, 144, "filter: entries between different components keep a place"),
           text(300, 167, "round 2 chooses e3 and e8")]
    kept = 0
    for edge, (u, v, _) in enumerate(EDGES):
        out.append(entry(edge, 4, f"{u}-{v}", edge, edge in {0, 2, 6, 7, 11}))
        mapped = "-".join("ABC"[component] for component in sorted({ROUND_1[u], ROUND_1[v]}))
        out.append(entry(edge, 78, mapped if "-" in mapped else f"{mapped}-{mapped}", edge, False))
        if "-" in mapped:
            out.append(entry(kept, 152, mapped, edge, edge in {3, 8}))
            kept += 1
    picture("boruvka-edge", "Borůvka's algorithm by edges", ["\n".join(out)], 640, 256)


def cuda():
    out = [text(-14, -34, "the array `link`: vertices, then the components of each level", 13,
                weight="bold")]
    rows = [
        ("index", list(range(12)), "none"),
        ("after hook 1", [1, 0, 3, 2, 1, 6, 5, 6, "", "", "", ""], FILLS[1]),
        ("after relabel 1", [8, 8, 9, 9, 8, 10, 10, 10, "", "", "", ""], FILLS[0]),
        ("after hook 2", [8, 8, 9, 9, 8, 10, 10, 10, 9, 10, 9, ""], FILLS[1]),
        ("after relabel 2", [8, 8, 9, 9, 8, 10, 10, 10, 11, 11, 11, ""], FILLS[0]),
    ]
    changed = [range(0), range(8), range(8), range(8, 11), range(8, 11)]
    for y, ((title, entries, fill), fresh) in enumerate(zip(rows, changed)):
        out.append(text(-14, -1 + 28 * y, title))
        for x, words in enumerate(entries):
            here = fill if x in fresh else "none"
            out.append(cell(90 + 40 * x, -16 + 28 * y, words, here, 40,
                            "#1f2328" if here != "none" else TEXT))
    out.append(text(250, 142, "vertices 0 to 7", anchor="middle"))
    out.append(text(470, 142, "level 1: 8, 9, 10", anchor="middle"))
    out.append(text(550, 142, "level 2", anchor="middle"))
    out.append(text(-14, 170, "the list: each warp has its own chain of tiles, and filters it "
                    "in place", 13, weight="bold"))
    for y, (title, edges, width) in enumerate([
            ("warp 0, gathered", ["8-9 e3", "8-10 e4", "8-10 e5"], 70),
            ("warp 1, gathered", ["9-10 e8", "9-10 e9", "9-10 e10"], 70)]):
        out.append(text(-14, 197 + 28 * y, title))
        for x, words in enumerate(edges):
            chosen = words in ("8-9 e3", "9-10 e8")
            out.append(cell(110 + 74 * x, 182 + 28 * y, words, FILLS[1] if chosen else "none",
                            width, "#1f2328" if chosen else TEXT))
    out.append(text(350, 197, "round 2 hooks along e3 and e8;"))
    out.append(text(350, 225, "relabel then leaves no record"))
    picture("cuda-fast", "cuda-fast: components and lists", ["\n".join(out)], 640, 296)


def distributed():
    lightest = [("0", "2 (e0)", "4 (e1)", "e0"), ("1", "2 (e0)", "6 (e3)", "e0"),
                ("2", "5 (e8)", "3 (e7)", "e7"), ("3", "8 (e10)", "3 (e7)", "e7"),
                ("4", "3 (e2)", "4 (e1)", "e2"), ("5", "1 (e6)", "9 (e5)", "e6"),
                ("6", "1 (e6)", "4 (e11)", "e6"), ("7", "8 (e10)", "4 (e11)", "e11")]
    picture("mpi-boruvka-allreduce", "Borůvka's algorithm by all-reduce, round 1", [
        graph("each rank looks at every p-th edge", new={0, 2, 4, 6, 8, 10},
              note="orange: rank 0, even ids\ngray: rank 1, odd ids"),
        table("all-reduce in round 1: the minimum", ("component", "rank 0", "rank 1", "minimum"),
              lightest, chosen=(3,)),
    ], width=330, height=240)
    levels = {0: 0, 1: 0, 4: 0, 2: 1, 3: 1, 5: 2, 6: 2, 7: 2}
    picture("mpi-ghs", "The algorithm of Gallager, Humblet and Spira", [
        graph("1. Connect over the lightest edge",
              arrows=[(0, 1), (1, 0), (4, 1), (2, 3), (3, 2), (5, 6), (6, 5), (7, 6)],
              note="every vertex is a fragment of level 0"),
        graph("2. Fragments of level 1", forest={0, 2, 6, 7, 11}, fills=levels, dropped={1},
              note="cores e0, e7 and e6; 4 and 7 were\nabsorbed; a test along e1 is rejected"),
        graph("3. Level 2", forest={0, 2, 6, 7, 11}, new={3, 8}, fills=levels, hidden={1},
              note="e8 is chosen from both sides: merge.\nThe left fragment is absorbed over e3."),
    ])
    halves = {0, 1, 2, 3, 4, 5}
    picture("mpi-merge", "Forests of two ranks are merged", [
        graph("rank 0: forest of its slice", new={0, 2, 3, 4}, dropped={1, 5}, hidden=ALL - halves,
              note="e0 to e5; e1 and e5 close cycles"),
        graph("rank 1: forest of its slice", new={6, 7, 8, 11}, dropped={9, 10}, hidden=halves,
              note="e6 to e11; e9 and e10 close cycles"),
        graph("rank 0: forest of both", forest=FOREST, dropped={4}, hidden={1, 5, 9, 10},
              note="8 edges are merged; e4 closes a cycle"),
    ])
    seam = [(0, 1, "6 (e4), rank 0", False), (0, 1, "5 (e8), rank 1", True)]
    two = {vertex: 3 for vertex in (2, 5)}
    picture("mpi-fast", "mpi-fast on two ranks", [
        graph("1. Rank 0 contracts its interior", new={0, 2, 3}, dropped={1}, fills=two,
              hidden=ALL - halves, note="2 and 5 are boundary vertices.\ne0, e2, e3 are certain."),
        graph("2. Rank 1 contracts its interior", new={7, 6, 11}, dropped={}, fills=two,
              hidden=halves, note="e6, e7, e11 are certain"),
        contracted("3. Both ranks decide together", seam, "one edge of each rank is left between\n"
                   "the boundary vertices; e8 is lighter", ("2", "5", "")),
    ], height=214)


sequential()
parallel()
lists()
cuda()
distributed()
