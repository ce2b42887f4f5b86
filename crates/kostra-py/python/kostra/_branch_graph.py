"""The graphs of clusters, and the branches in them."""

import numpy as np

from kostra import _arrays, _connectivity, _kostra, _metrics, _points, _weights
from kostra._tree import cut
from kostra._validity import persistence

#: Metrics of SciPy's k-d tree, and their p.
_WITH_TREE = {"euclidean": 2, "manhattan": 1, "chebyshev": np.inf}
#: Relative rounding of a distance that two searches compute.
_ROUNDING = 1e-12
#: The points whose neighbors are found at a time.
_BLOCK = 1 << 10
#: The edges that wait until most of them are left out.
_EDGES = 1 << 22


class ClusterGraphs:
    """The points of a model, for the graphs of its clusters."""

    def __init__(self, model, method):
        if model._predictor is None:
            raise ValueError(
                "branches need the points of the fit in host memory; fit the model to them"
            )
        self.model, predictor = model, model._predictor
        self.points = np.asarray(predictor.rows(), np.float64)
        #: How many points each one counts as; None for one each.
        self.counts = None if model._copies is None else model._copies[0]
        self.metric = predictor.metric or model.metric
        self.params = None if predictor.metric else model._metric_parameters()
        self.map = predictor.map if predictor.metric else None
        self.mapped = _metrics.mapped(self.points, self.map)
        #: The place of each point in the order of coordinates.
        self.ranks = model._ranks_of(self.points)
        #: The pairs that may be joined; None for all.
        self.connected = None
        if model.connectivity is not None:
            self.connected = _connectivity.pairs(
                model.connectivity, predictor.points, model._among
            )
        tree = model.spanning_tree_
        self.u, self.v, self.weights = tree.u, tree.v, tree.weights
        self.radii = None
        if method == "core":
            self._find_core()

    def _find_core(self):
        """What the method "core" needs: a tree that does not depend on the order of rows, and the
        core distances of the graph.
        """
        tree = self.model._tree_by_coordinates()
        self.u, self.v, self.weights = tree.u, tree.v, tree.weights
        self.radii = self._cores(self.model._predictor._min_samples - 1)

    def _cores(self, samples):
        """The distance of each point to the ``samples``-th nearest one, itself included."""
        if samples < 2:
            return np.zeros(len(self.points))
        if isinstance(self.metric, str) and self.metric in _WITH_TREE:
            return _kostra.cores_of_points(
                {
                    "coordinates": self.mapped.reshape(-1),
                    "dimensions": self.mapped.shape[1],
                    "metric": self.metric,
                    "min_samples": samples,
                    "alpha": 1.0,
                    "weights": self.counts,
                    "threads": None,
                }
            )
        rows, n = self._rows(self.mapped), len(self.points)
        return np.array([_weights.nth(rows.all(i), samples, self.counts) for i in range(n)])

    def _rows(self, points):
        return _metrics.rows_of(points, self.metric, self.params)

    def of(self, rows, probabilities):
        """For the points in some rows: their centralities, the engine's forest of their graph, their
        ranks, and how many points each counts as.
        """
        given = self.model._places(rows)
        # Sums and searches in the order of coordinates do not depend on the order of rows.
        order = np.argsort(self.ranks[given])
        places, local = given[order], self.mapped[given[order]]
        eccentricities = self._from_center(places, probabilities[order])
        with np.errstate(divide="ignore"):
            centralities = np.minimum(1 / eccentricities, np.finfo(np.float64).max)
        edges, waiting = [], 0
        for block in self._blocks(places, local):
            edges.append(block)
            waiting += len(block[0])
            if waiting > _EDGES:
                edges, waiting = [_joined(len(places), edges, centralities)], 0
        u, v = _joined(len(places), edges, centralities)
        of_rows = np.empty(len(places))
        of_rows[order] = centralities
        inner = _forest(len(places), order[u], order[v], of_rows)
        counts = None if self.counts is None else self.counts[given]
        return of_rows, inner, self.ranks[given], counts

    def edges(self, rows, cores):
        """All edges of the graph of the points in some rows: the lower and the higher position among
        them, and the mutual reachability distance by the core distances of all points.
        """
        places = self.model._places(rows)
        local = self.mapped[places]
        u, v = (np.concatenate(ends) for ends in zip(*self._blocks(places, local)))
        keys = np.unique(np.minimum(u, v) * len(places) + np.maximum(u, v))
        u, v = np.divmod(keys, len(places))
        u, v = u[u < v], v[u < v]
        core = np.maximum(cores[places[u]], cores[places[v]])
        return u, v, np.maximum(self._apart(local, u, v) / self.model.alpha, core)

    def core_distances(self):
        """The core distances of the clusters."""
        return self._cores(self.model._predictor._min_samples)

    def _from_center(self, places, probabilities):
        """The distance of each point to the mean of all."""
        weights = probabilities if probabilities.any() else np.ones(len(places))
        if self.counts is not None:
            weights = weights * self.counts[places]
        center = _metrics.centroid(self.points[places], weights, self.metric)
        center = _metrics.mapped(center[None], self.map)
        return self._rows(np.vstack([center, self.mapped[places]])).all(0)[1:]

    def _blocks(self, places, local):
        """Blocks of edges of the graph: those of the spanning tree, and near points."""
        number = _arrays.positions(places, len(self.points))
        u, v = number[self.u], number[self.v]
        inside = (u >= 0) & (v >= 0)
        yield u[inside], v[inside]
        if self.radii is not None:
            radii = self.radii[places]
        else:
            longest = self.weights[inside].max(initial=0) * self.model.alpha
            radii = np.full(len(places), longest)
        radii = radii * (1 + _ROUNDING)
        if self.connected is None:
            yield from self._near(local, radii)
            return
        u, v = (number[end] for end in self.connected)
        inside = (u >= 0) & (v >= 0)
        u, v = u[inside], v[inside]
        is_near = self._apart(local, u, v) <= np.maximum(radii[u], radii[v])
        yield u[is_near], v[is_near]

    def _apart(self, local, u, v):
        """The distances of pairs of points."""
        apart = np.empty(len(u))
        if isinstance(self.metric, str) and self.metric in _WITH_TREE:
            step = max(1, _EDGES // local.shape[1])
            for part in (slice(start, start + step) for start in range(0, len(u), step)):
                between = local[u[part]] - local[v[part]]
                apart[part] = np.linalg.norm(between, _WITH_TREE[self.metric], axis=1)
            return apart
        rows, order = self._rows(local), np.argsort(u, kind="stable")
        for own in np.split(order, np.flatnonzero(np.diff(u[order])) + 1):
            if len(own):
                apart[own] = rows.all(u[own[0]])[v[own]]
        return apart

    def _near(self, local, radii):
        """Pairs of points within the radius of the first one, in blocks."""
        if isinstance(self.metric, str) and self.metric in _WITH_TREE:
            from scipy.spatial import cKDTree

            tree, p = cKDTree(local), _WITH_TREE[self.metric]
            for start in range(0, len(local), _BLOCK):
                part = slice(start, start + _BLOCK)
                lists = tree.query_ball_point(local[part], radii[part], p=p)
                first = np.repeat(np.arange(start, start + len(lists)), [*map(len, lists)])
                yield first, np.concatenate(lists).astype(np.int64)
            return
        rows = self._rows(local)
        for point, radius in enumerate(radii):
            near = np.flatnonzero(rows.all(point) <= radius)
            yield np.full(len(near), point), near


def _joined(n, edges, centralities):
    """The edges of the forest of some edges."""
    u, v = (np.concatenate(ends) for ends in zip(*edges))
    tree = _points.PointTree._of(_forest(n, u, v, centralities))
    return tree.u.astype(np.int64), tree.v.astype(np.int64)


def _forest(n, u, v, centralities):
    """The engine's forest of edges at the larger centrality of their ends."""
    weights = np.maximum(centralities[u], centralities[v])
    u, v = (np.ascontiguousarray(end, np.uint32) for end in (u, v))
    return _kostra.tree_of_entries((n, u, v, weights), 1, None)


class Branches:
    """The branches of one cluster."""

    def __init__(self, graph, options):
        (least, least_persistence, choice), (centralities, inner, ranks, counts) = options, graph
        self.centralities, self.choice, self.counts = centralities, choice, counts
        self.forest = _points.PointTree._of(inner)
        n, parts = self.forest.n, self.forest.n_components
        if parts > 1:
            self.condensed, self.selected = None, None
            self.labels = _numbered(cut(self.forest, k=parts), ranks)
            self.probabilities, self.persistences = np.ones(n), np.zeros(parts)
            return
        [condensed] = _kostra.Condensed.of_sizes(inner, [least], False, self.copies, None)
        if condensed.is_ambiguous:
            condensed = condensed.numbered_by(ranks)
        if least_persistence > 0:
            condensed = condensed.simplified(least_persistence)
        labels, self.probabilities, self.selected = condensed.select(choice)
        self.condensed, self.labels = condensed, labels.astype(np.int64)
        self.persistences = persistence(condensed, self.selected, labels, counts)
        if len(self.selected) == 1 and self.selected[0] == 0:
            self.labels[:], self.probabilities[:] = all_but_early(condensed, choice["epsilon"])


    @property
    def copies(self):
        """What points count as, and the centralities at which the points of one row are connected."""
        return None if self.counts is None else (self.counts, self.centralities)


def _numbered(labels, ranks):
    """Labels in the order of their first points by coordinates."""
    _, firsts, labels = np.unique(labels[np.argsort(ranks)], return_index=True, return_inverse=True)
    numbers = np.empty(len(firsts), np.int64)
    numbers[np.argsort(firsts)] = np.arange(len(firsts))
    found = np.empty(len(ranks), np.int64)
    found[np.argsort(ranks)] = numbers[labels]
    return found


def all_but_early(condensed, epsilon):
    """Labels and probabilities in the cluster of all points: all points, or with an epsilon those
    that leave below it.
    """
    _, departures = condensed.points()
    is_early = departures > epsilon if epsilon > 0 else np.zeros(len(departures), bool)
    return np.where(is_early, -1, 0), np.where(is_early, 0.0, 1.0)
