// The C interface of Kostra, which computes minimum spanning forests.
//
// Generated from the Rust sources. To change it, change crates/kostra-capi/src and run
// KOSTRA_UPDATE_HEADER=1 cargo test -p kostra-capi --test header
//
// An edge is identified by its id: its position in the arrays or in the file, counted from 0. The
// same graph always has the same forest: among edges of equal weight, the lower id comes first.
//
// A function that fails returns NULL, false or a negative number, and kostra_last_error() returns
// one sentence that says why. No function changes a graph or a forest, except for the function
// that frees it. So several threads may use one graph or one forest at the same time. But only one
// thread at a time may use a dynamic forest, which most functions change, also those that ask it.


#ifndef KOSTRA_H
#define KOSTRA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The order of a minimum spanning forest.
#define KOSTRA_MINIMUM 0

// The order of a maximum spanning forest.
#define KOSTRA_MAXIMUM 1

// The weights are int32_t.
#define KOSTRA_I32 0

// The weights are uint32_t.
#define KOSTRA_U32 1

// The weights are int64_t.
#define KOSTRA_I64 2

// The weights are uint64_t.
#define KOSTRA_U64 3

// The weights are float.
#define KOSTRA_F32 4

// The weights are double.
#define KOSTRA_F64 5

// A graph that changes, and its spanning forest. Each edge has an id from its insertion to its
// deletion. Ids ascend in the order of insertion and are never used again. After each update, the
// forest is the one that kostra_solve() finds for the present edges.
typedef struct KostraDynamicForest KostraDynamicForest;

// A spanning forest: the ids of its edges, ascending.
typedef struct KostraForest KostraForest;

// A weighted graph. Vertices are numbered from 0.
typedef struct KostraGraph KostraGraph;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of the library, such as "0.1.0".
const char *kostra_version(void);

// One sentence that says why a function last failed on this thread, in UTF-8. It is empty if no
// function has failed. The text is valid until the next failure on this thread.
const char *kostra_last_error(void);

// A graph without edges, for weights of one type: KOSTRA_I32, KOSTRA_U32, KOSTRA_I64, KOSTRA_U64,
// KOSTRA_F32 or KOSTRA_F64. Returns NULL if it fails. Free the forest with kostra_dynamic_free().
struct KostraDynamicForest *kostra_dynamic_new(uint32_t vertices,
                                               int32_t weight_type,
                                               int32_t order);

// The forest of a graph, whose edges keep their ids. The graph is copied. Returns NULL if it
// fails. Free the forest with kostra_dynamic_free().
struct KostraDynamicForest *kostra_dynamic_of_graph(const struct KostraGraph *graph, int32_t order);

// Continues from a log, which records further updates. The number of bytes of an update that a
// crash interrupted, which is dropped, is written to `dropped` unless it is NULL. Returns NULL if
// the file is no log, is damaged, or is in use. Free the forest with kostra_dynamic_free().
struct KostraDynamicForest *kostra_dynamic_open(const char *path, uint64_t *dropped);

// Starts a log: a new or empty file with the present state, and with all updates from now on. Each
// update is on the disk before its function returns. kostra_dynamic_free() closes the log. If an
// update cannot be written, its function fails although the forest has changed, and so do all
// later updates; the log has all updates before it. Returns false if it fails.
bool kostra_dynamic_log(struct KostraDynamicForest *forest, const char *path);

// Rewrites the log to the present edges, in one step. The edges keep their ids, and ids are still
// never used again. A crash leaves the former log or the new one. Returns false if it fails: there
// is no log, or the file cannot be written. The log is as it was then.
bool kostra_dynamic_compact(struct KostraDynamicForest *forest);

// Frees a dynamic forest and closes its log. NULL is allowed.
void kostra_dynamic_free(struct KostraDynamicForest *forest);

// The number of vertices; 0 if it fails.
uint32_t kostra_dynamic_vertices(const struct KostraDynamicForest *forest);

// The number of present edges; 0 if it fails.
size_t kostra_dynamic_edges(const struct KostraDynamicForest *forest);

// The type of the weights, as kostra_graph_weight_type() returns it; -1 if it fails.
int32_t kostra_dynamic_weight_type(const struct KostraDynamicForest *forest);

// KOSTRA_MINIMUM or KOSTRA_MAXIMUM; -1 if it fails.
int32_t kostra_dynamic_order(const struct KostraDynamicForest *forest);

// The number of components, isolated vertices included; 0 if it fails.
uint32_t kostra_dynamic_components(const struct KostraDynamicForest *forest);

// The sum of the weights of the forest; NaN if it fails. A sum of integers above 2^53 is rounded;
// kostra_dynamic_integer_total() returns the exact sum. Takes time for each edge.
double kostra_dynamic_total(const struct KostraDynamicForest *forest);

// Writes the exact sum of the weights of the forest to `total`. Returns false if the weights are
// no integers, or the sum does not fit into int64_t.
bool kostra_dynamic_integer_total(const struct KostraDynamicForest *forest, int64_t *total);

// The ids of the forest's edges, ascending, and their number in `length`. Takes time for each edge
// that was ever inserted. The ids are valid until the next call of a function that returns ids of
// this forest, or the forest is freed. Returns NULL if it fails.
const uint32_t *kostra_dynamic_ids(struct KostraDynamicForest *forest, size_t *length);

// As kostra_dynamic_ids(), the ids of all present edges.
const uint32_t *kostra_dynamic_present_ids(struct KostraDynamicForest *forest, size_t *length);

// As kostra_dynamic_ids(), the ids of the edges that the last update brought into the forest.
// Takes time for these edges only.
const uint32_t *kostra_dynamic_entered(struct KostraDynamicForest *forest, size_t *length);

// As kostra_dynamic_entered(), the ids of the edges that the last update took out of the forest.
// Some may be deleted.
const uint32_t *kostra_dynamic_left(struct KostraDynamicForest *forest, size_t *length);

// The graph of some present edges, in the order of `ids`, with the names of the vertices if there
// are some: kostra_graph_u(), kostra_graph_v() and kostra_graph_weights() have the ends and the
// weights of the edges. Returns NULL if it fails. Free the graph with kostra_graph_free().
struct KostraGraph *kostra_dynamic_graph(const struct KostraDynamicForest *forest,
                                         const uint32_t *ids,
                                         size_t length);

// Whether a path joins two vertices: 1 or 0, or -1 if it fails.
int32_t kostra_dynamic_connected(struct KostraDynamicForest *forest, uint32_t s, uint32_t t);

// The id of the worst edge on the path between two vertices in the forest. Its weight is the best
// bottleneck of all paths. Returns -1 if there is no such edge: kostra_last_error() says whether
// no path joins the vertices, or they are equal.
int64_t kostra_dynamic_bottleneck(struct KostraDynamicForest *forest, uint32_t s, uint32_t t);

// The number of vertices of a vertex's component; 0 if it fails.
uint32_t kostra_dynamic_component_size(struct KostraDynamicForest *forest, uint32_t vertex);

// Adds isolated vertices, and returns the number of the first one; the others have the following
// numbers. If the vertices have names, `names` has those of the new ones, in UTF-8; else it is
// NULL. A forest without vertices takes either. Returns -1 if it fails. Then nothing changes.
int64_t kostra_dynamic_add_vertices(struct KostraDynamicForest *forest,
                                    uint32_t vertices,
                                    const char *const *names);

// Deletes edges. Returns false if it fails: an edge is not present, or is named twice. Then
// nothing changes.
bool kostra_dynamic_delete(struct KostraDynamicForest *forest, const uint32_t *ids, size_t length);

// Deletes all edges with ids below `before`, the oldest ones: a sliding window. Returns their
// number, or -1 if it fails.
int64_t kostra_dynamic_expire(struct KostraDynamicForest *forest, uint32_t before);

// Inserts edges into a forest with weights of the type double: edge i of the batch joins the items
// i of `u` and `v` and has the weight in item i of `weights`. The arrays have `edges` items each.
// Returns the id of the first edge, and the others have the following ids. Returns -1 if it fails:
// a vertex does not exist, a weight is NaN or has another type. Then nothing changes.
int64_t kostra_dynamic_insert_f64(struct KostraDynamicForest *forest,
                                  size_t edges,
                                  const uint32_t *u,
                                  const uint32_t *v,
                                  const double *weights);

// As kostra_dynamic_insert_f64(), with weights of the type float.
int64_t kostra_dynamic_insert_f32(struct KostraDynamicForest *forest,
                                  size_t edges,
                                  const uint32_t *u,
                                  const uint32_t *v,
                                  const float *weights);

// As kostra_dynamic_insert_f64(), with weights of the type int32_t.
int64_t kostra_dynamic_insert_i32(struct KostraDynamicForest *forest,
                                  size_t edges,
                                  const uint32_t *u,
                                  const uint32_t *v,
                                  const int32_t *weights);

// As kostra_dynamic_insert_f64(), with weights of the type uint32_t.
int64_t kostra_dynamic_insert_u32(struct KostraDynamicForest *forest,
                                  size_t edges,
                                  const uint32_t *u,
                                  const uint32_t *v,
                                  const uint32_t *weights);

// As kostra_dynamic_insert_f64(), with weights of the type int64_t.
int64_t kostra_dynamic_insert_i64(struct KostraDynamicForest *forest,
                                  size_t edges,
                                  const uint32_t *u,
                                  const uint32_t *v,
                                  const int64_t *weights);

// As kostra_dynamic_insert_f64(), with weights of the type uint64_t.
int64_t kostra_dynamic_insert_u64(struct KostraDynamicForest *forest,
                                  size_t edges,
                                  const uint32_t *u,
                                  const uint32_t *v,
                                  const uint64_t *weights);

// Changes weights in a forest with weights of the type double: of the edge in item i of `ids` to
// item i of `weights`. Returns false if it fails: an edge is not present or is named twice, a
// weight is NaN or has another type. Then nothing changes.
bool kostra_dynamic_reweight_f64(struct KostraDynamicForest *forest,
                                 const uint32_t *ids,
                                 size_t length,
                                 const double *weights);

// As kostra_dynamic_reweight_f64(), with weights of the type float.
bool kostra_dynamic_reweight_f32(struct KostraDynamicForest *forest,
                                 const uint32_t *ids,
                                 size_t length,
                                 const float *weights);

// As kostra_dynamic_reweight_f64(), with weights of the type int32_t.
bool kostra_dynamic_reweight_i32(struct KostraDynamicForest *forest,
                                 const uint32_t *ids,
                                 size_t length,
                                 const int32_t *weights);

// As kostra_dynamic_reweight_f64(), with weights of the type uint32_t.
bool kostra_dynamic_reweight_u32(struct KostraDynamicForest *forest,
                                 const uint32_t *ids,
                                 size_t length,
                                 const uint32_t *weights);

// As kostra_dynamic_reweight_f64(), with weights of the type int64_t.
bool kostra_dynamic_reweight_i64(struct KostraDynamicForest *forest,
                                 const uint32_t *ids,
                                 size_t length,
                                 const int64_t *weights);

// As kostra_dynamic_reweight_f64(), with weights of the type uint64_t.
bool kostra_dynamic_reweight_u64(struct KostraDynamicForest *forest,
                                 const uint32_t *ids,
                                 size_t length,
                                 const uint64_t *weights);

// Finds the minimum or maximum spanning forest of a graph. `algorithm` is the id of a solver, such
// as "boruvka"; the command `kostra solvers` lists them. NULL or "auto" chooses the fastest solver.
// `threads` is the number of threads, at most 4096; 0 means all that the machine has. Returns NULL
// if it fails. Free the forest with kostra_forest_free().
struct KostraForest *kostra_solve(const struct KostraGraph *graph,
                                  const char *algorithm,
                                  int32_t order,
                                  size_t threads);

// Decides whether the edges `ids` are the minimum or maximum spanning forest of a graph, without
// any solver. Returns 1 if they are, 0 if they are not, and -1 if this cannot be decided.
// Unless it returns 1, kostra_last_error() returns the first violation or the reason.
int32_t kostra_verify(const struct KostraGraph *graph,
                      int32_t order,
                      const uint32_t *ids,
                      size_t length);

// Frees a forest. NULL is allowed.
void kostra_forest_free(struct KostraForest *forest);

// The id of the solver that found a forest, such as "fast", valid until the forest is freed; NULL
// if `forest` is NULL.
const char *kostra_forest_algorithm(const struct KostraForest *forest);

// One sentence that says why a solver on the processor found a forest instead of the solver for a
// device that was chosen first, valid until the forest is freed. NULL if the first solver found
// the forest, or `forest` is NULL.
const char *kostra_forest_fallback(const struct KostraForest *forest);

// The number of edges of a forest; 0 if `forest` is NULL.
size_t kostra_forest_length(const struct KostraForest *forest);

// The ids of the edges of a forest, ascending, valid until the forest is freed; NULL if `forest`
// is NULL. kostra_forest_length() is their number.
const uint32_t *kostra_forest_ids(const struct KostraForest *forest);

// The number of components of the graph, isolated vertices included; 0 if `forest` is NULL.
uint32_t kostra_forest_components(const struct KostraForest *forest);

// The sum of the weights of a forest; NaN if `forest` is NULL. A sum of integers above 2^53 is
// rounded; kostra_forest_integer_total() returns the exact sum.
double kostra_forest_total(const struct KostraForest *forest);

// Writes the exact sum of the weights of a forest to `total`. Returns false if the weights are no
// integers, or the sum does not fit into int64_t.
bool kostra_forest_integer_total(const struct KostraForest *forest, int64_t *total);

// Writes the component of each vertex to the array `labels` of `length` items, one for each vertex
// of the graph. Components are numbered from 0 in the order of their lowest vertices. Returns
// false if it fails.
bool kostra_forest_labels(const struct KostraGraph *graph,
                          const struct KostraForest *forest,
                          uint32_t *labels,
                          size_t length);

// Writes a forest of a graph to a file in the format of the file's extension: edge ids (.ids, .txt
// and no extension), or edges with their ends and weights, such as .csv and .graphml, and with the
// names of the vertices if the graph is from a file that has them. The file appears whole or not
// at all. Returns false if it fails.
bool kostra_forest_write(const struct KostraGraph *graph,
                         const struct KostraForest *forest,
                         const char *path);

// A graph whose edge i joins the items i of `u` and `v` and has the weight in item i of `weights`.
// The three arrays have `edges` items each; they are copied. Parallel edges and self-loops are
// allowed. A vertex that is not below `vertices` and a weight that is NaN are refused. Then the
// function returns NULL. Free the graph with kostra_graph_free().
struct KostraGraph *kostra_graph_f64(uint32_t vertices,
                                     size_t edges,
                                     const uint32_t *u,
                                     const uint32_t *v,
                                     const double *weights);

// As kostra_graph_f64(), with weights of the type float.
struct KostraGraph *kostra_graph_f32(uint32_t vertices,
                                     size_t edges,
                                     const uint32_t *u,
                                     const uint32_t *v,
                                     const float *weights);

// As kostra_graph_f64(), with weights of the type int32_t.
struct KostraGraph *kostra_graph_i32(uint32_t vertices,
                                     size_t edges,
                                     const uint32_t *u,
                                     const uint32_t *v,
                                     const int32_t *weights);

// As kostra_graph_f64(), with weights of the type uint32_t.
struct KostraGraph *kostra_graph_u32(uint32_t vertices,
                                     size_t edges,
                                     const uint32_t *u,
                                     const uint32_t *v,
                                     const uint32_t *weights);

// As kostra_graph_f64(), with weights of the type int64_t.
struct KostraGraph *kostra_graph_i64(uint32_t vertices,
                                     size_t edges,
                                     const uint32_t *u,
                                     const uint32_t *v,
                                     const int64_t *weights);

// As kostra_graph_f64(), with weights of the type uint64_t.
struct KostraGraph *kostra_graph_u64(uint32_t vertices,
                                     size_t edges,
                                     const uint32_t *u,
                                     const uint32_t *v,
                                     const uint64_t *weights);

// Reads a graph from a file. Its format and its compression are recognized by content. Vertices
// are numbered from 0, also if the file numbers them from 1. Returns NULL if it fails. If the file
// leaves something open, such as the column of the weights, kostra_last_error() names an option of
// kostra_graph_read_with(). Free the graph with kostra_graph_free().
struct KostraGraph *kostra_graph_read(const char *path);

// As kostra_graph_read(), with options: an array of texts that ends in NULL, such as
// {"weight=km", "header", NULL}. They are named as those of the command `kostra solve`, without
// `--`: format, source, target, weight, columns, delimiter, decimal-comma, thousands, header,
// no-header, names, vertices, weights, nan, array, zeros, negatives, links, highway and bbox. NULL
// is an array without options.
struct KostraGraph *kostra_graph_read_with(const char *path, const char *const *options);

// Frees a graph. NULL is allowed. Forests of the graph stay valid.
void kostra_graph_free(struct KostraGraph *graph);

// The number of vertices; 0 if `graph` is NULL.
uint32_t kostra_graph_vertices(const struct KostraGraph *graph);

// The number of edges; 0 if `graph` is NULL.
size_t kostra_graph_edges(const struct KostraGraph *graph);

// The first end of each edge, valid until the graph is freed; NULL if `graph` is NULL.
const uint32_t *kostra_graph_u(const struct KostraGraph *graph);

// The second end of each edge, valid until the graph is freed; NULL if `graph` is NULL.
const uint32_t *kostra_graph_v(const struct KostraGraph *graph);

// The type of the weights: KOSTRA_I32, KOSTRA_U32, KOSTRA_I64, KOSTRA_U64, KOSTRA_F32 or
// KOSTRA_F64; -1 if `graph` is NULL. A file determines the type of the weights of its graph.
int32_t kostra_graph_weight_type(const struct KostraGraph *graph);

// The weight of each edge, as an array of the type that kostra_graph_weight_type() returns. Valid
// until the graph is freed; NULL if `graph` is NULL.
const void *kostra_graph_weights(const struct KostraGraph *graph);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* KOSTRA_H */
