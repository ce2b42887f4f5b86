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
// that frees it. So several threads may use one graph or one forest at the same time.


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
