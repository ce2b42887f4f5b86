"""A plugin for pytest: replaces `sklearn.cluster.HDBSCAN` by Kostra's estimator, which labels points
without finite coordinates as scikit-learn does, and undoes merges one by one.
"""

import functools

import sklearn.cluster

import kostra.cluster

fits = 0


class HDBSCAN(kostra.cluster.HDBSCAN):
    """Kostra's estimator with other defaults."""

    __init__ = functools.partialmethod(
        kostra.cluster.HDBSCAN.__init__, nonfinite="label", ties="scikit-learn"
    )
    _get_param_names = functools.partial(kostra.cluster.HDBSCAN._get_param_names)

    def fit(self, X, y=None):
        """Counts its calls, and passes them on."""
        global fits
        fits += 1
        return super().fit(X, y)


sklearn.cluster.HDBSCAN = HDBSCAN


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(f"kostra.cluster.HDBSCAN.fit was called {fits} times")


def pytest_sessionfinish(session, exitstatus):
    if exitstatus == 0 and fits == 0:
        session.exitstatus = 1  # these tests have tested nothing of Kostra's
