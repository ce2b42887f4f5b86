"""A plugin for pytest: replaces `scipy.sparse.csgraph.minimum_spanning_tree` by Kostra's function
for all later imports.
"""

import functools

import scipy.sparse.csgraph

import kostra.scipy

calls = 0


@functools.wraps(kostra.scipy.minimum_spanning_tree)
def minimum_spanning_tree(*arguments, **options):
    """Counts its calls, and passes them on."""
    global calls
    calls += 1
    return kostra.scipy.minimum_spanning_tree(*arguments, **options)


scipy.sparse.csgraph.minimum_spanning_tree = minimum_spanning_tree


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(f"kostra.scipy.minimum_spanning_tree was called {calls} times")


def pytest_sessionfinish(session, exitstatus):
    if exitstatus == 0 and calls == 0:
        session.exitstatus = 1  # these tests have tested nothing of Kostra's
