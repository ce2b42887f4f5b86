//! Problems around the minimum spanning forest of a graph. Each module is one problem, and returns
//! ids of edges, as solvers do.
