"""How the package behaves as a part of a process: signals, threads, forks, memory, imports."""

import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import networkx as nx
import numpy as np
import pytest

import kostra._kostra


def run(program):
    """What a fresh interpreter prints."""
    program = textwrap.dedent(program)
    return subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture(scope="module")
def large():
    random = np.random.default_rng(3)
    n, m = 1_000_000, 4_000_000
    return kostra.Graph(
        random.integers(0, n, m, np.int32), random.integers(0, n, m, np.int32), random.random(m), n
    )


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers")
@pytest.mark.parametrize("algorithm", ["prim-pairing", "kruskal", "boruvka"])
def test_ctrl_c_interrupts_and_leaves_everything_usable(large, algorithm):
    class Pressed(Exception):
        pass

    def press(*_):
        raise Pressed

    before = signal.signal(signal.SIGALRM, press)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(Pressed):
            while True:
                large.minimum_spanning_forest(algorithm=algorithm)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(kostra.minimum_spanning_forest([0], [1])) == 1


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers")
def test_ctrl_c_interrupts_readers_and_generators(tmp_path):
    class Pressed(Exception):
        pass

    def press(*_):
        raise Pressed

    path, spec = tmp_path / "graph.gr", "gnm:n=300k,m=1M"
    subprocess.run([sys.executable, "-m", "kostra", "generate", spec, "-o", path], check=True)
    before = signal.signal(signal.SIGALRM, press)
    try:
        for work in (lambda: kostra.Graph.read(path), lambda: kostra.Graph.generate(spec)):
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            with pytest.raises(Pressed):
                while True:
                    work()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert kostra.Graph.read(path).m == 1_000_000


def test_other_threads_run_meanwhile(large):
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    ticker = threading.Thread(target=tick)
    ticker.start()
    try:
        begin = time.perf_counter()
        large.minimum_spanning_forest(algorithm="prim-binary")
        end = time.perf_counter()
    finally:
        done.set()
        ticker.join()
    assert sum(begin < moment < end for moment in ticks) > 10


def test_many_threads_may_solve_at_once(large):
    expected = large.minimum_spanning_forest().edge_ids
    answers = []
    threads = [
        threading.Thread(
            target=lambda: answers.append(large.minimum_spanning_forest(threads=2).edge_ids)
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 4 and all((answer == expected).all() for answer in answers)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_children_of_a_fork_solve_too():
    assert (
        run("""
        import os, warnings
        import kostra
        warnings.simplefilter("ignore")
        edges = range(20_000), range(1, 20_001)
        first = kostra.minimum_spanning_forest(*edges, threads=2)
        child = os.fork()
        if child == 0:
            again = kostra.minimum_spanning_forest(*edges, threads=2)
            os._exit(0 if len(again) == len(first) else 1)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """)
        == "0"
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_children_that_are_born_while_another_thread_solves_are_not_held_up():
    assert (
        run("""
        import os, signal, threading, warnings
        import numpy as np
        import kostra
        warnings.simplefilter("ignore")
        random = np.random.default_rng(1)
        u, v = random.integers(0, 50_000, (2, 200_000))
        edges = u, v, random.random(200_000)
        expected = kostra.minimum_spanning_forest(*edges).total_weight
        done = threading.Event()

        def solve():
            while not done.is_set():
                kostra.minimum_spanning_forest(*edges, threads=2)

        solver = threading.Thread(target=solve)
        solver.start()
        codes = []
        for _ in range(8):
            child = os.fork()
            if child == 0:
                signal.alarm(60)
                again = kostra.minimum_spanning_forest(*edges, threads=2)
                os._exit(0 if again.total_weight == expected else 1)
            codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        done.set()
        solver.join()
        print(sum(codes), len(codes))
    """)
        == "0 8"
    )


def test_nothing_leaks():
    u, v, w = np.arange(999, dtype=np.int32), np.arange(1, 1000, dtype=np.uint32), np.ones(999)
    nodes = [object()] * 1000

    def use():
        forest = kostra.minimum_spanning_forest(u, v, w)
        forest.u, forest.v, forest.weights, forest.edge_ids, forest.labels(), forest.parents()
        kostra.single_linkage(forest)
        graph = kostra.Graph(u, v, w, copy=False)
        graph.nodes = nodes
        kostra.verify(graph, graph.minimum_spanning_forest())
        view = graph.weights
        del graph
        for bad in ([-1], [1.5]):
            with pytest.raises((ValueError, TypeError)):
                kostra.minimum_spanning_forest(bad, v[:1], w[:1])
        return view[0]

    use()
    gc.collect()
    before = [sys.getrefcount(thing) for thing in (u, v, w, nodes)], len(gc.get_objects())
    for _ in range(50):
        use()
    gc.collect()
    after = [sys.getrefcount(thing) for thing in (u, v, w, nodes)], len(gc.get_objects())
    assert after[0] == before[0]
    assert after[1] <= before[1] + 25


def references(things):
    return [sys.getrefcount(thing) for thing in things]


def test_nothing_of_a_networkx_graph_is_kept_or_lost():
    graph = nx.MultiGraph(nx.gnm_random_graph(300, 1000, seed=1))
    graph.add_weighted_edges_from([("a", (1, 2), 5.5), ((1, 2), 7, -1)])
    attributes = [data for *_, data in graph.edges(data=True)]
    nodes = list(graph)
    held = []
    for number in range(20):
        edges = list(nx.minimum_spanning_edges(graph, backend="kostra"))
        nx.minimum_spanning_tree(graph, backend="kostra")
        with pytest.raises(IndexError, match="there is no item 5 in a list of 3"):
            kostra._kostra.pick([[], [], []], np.array([0, 5]))
        assert len(edges) == nx.number_of_nodes(graph) - nx.number_connected_components(graph)
        del edges
        gc.collect()
        held.append((references(attributes), references(nodes[-2:])))
    assert held[2] == held[-1]


def test_what_readers_hold_is_given_back(tmp_path):
    path = tmp_path / "graph.gr"
    path.write_text(
        "p sp 3 4\n"
        + "".join(f"a {u} {v} {w}\n" for u, v, w in [(1, 2, 3), (2, 1, 3), (2, 3, 4), (3, 2, 4)])
    )
    bad = tmp_path / "bad.gr"
    bad.write_text("p sp 3 1\na 1 9 3\n")

    def use():
        graph = kostra.Graph.read(path)
        assert graph.minimum_spanning_forest().total_weight == 7
        for name, error in ((bad, ValueError), (tmp_path / "none.gr", FileNotFoundError)):
            with pytest.raises(error):
                kostra.Graph.read(name)

    use()
    gc.collect()
    before = (
        len(gc.get_objects()),
        len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else 0,
    )
    for _ in range(30):
        use()
    gc.collect()
    after = (
        len(gc.get_objects()),
        len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else 0,
    )
    assert after[0] <= before[0] + 25 and after[1] == before[1]


def test_the_import_takes_in_nothing_but_numpy():
    assert (
        run("""
        import sys
        import kostra
        heavy = {"scipy", "networkx", "pandas", "pyarrow", "polars", "igraph", "rustworkx"}
        heavy.add("matplotlib")
        print(sorted(heavy & set(sys.modules)))
    """)
        == "[]"
    )


def test_networkx_learns_of_the_backend_without_importing_it():
    assert run("""
        import sys
        import networkx
        print("kostra" in networkx.config.backends if hasattr(networkx.config, "backends") else
              "kostra" in networkx.utils.backends.backends, "kostra" in sys.modules, "_kostra_nx" in sys.modules)
    """).split()[1:] == ["False", "True"]
