/* Calls the functions of kostra.h for graphs and forests, and checks what they promise. */
#include "check.h"

static const uint32_t U[] = {0, 1, 2, 0};
static const uint32_t V[] = {1, 2, 0, 2};

static void check_graphs(void) {
    const float f32[] = {0.5f, -1.0f, 0.5f, 0.0f};
    const double f64[] = {0.5, -1.0, 0.5, 0.0};
    const int32_t i32[] = {1, -2, 1, 0};
    const uint32_t u32[] = {1, 0, 1, 4000000000u};
    const int64_t i64[] = {1, INT64_MIN, 1, 0};
    const uint64_t u64[] = {UINT64_MAX, UINT64_MAX, 1, UINT64_MAX};
    KostraGraph *graphs[] = {
        kostra_graph_i32(4, 4, U, V, i32), kostra_graph_u32(4, 4, U, V, u32),
        kostra_graph_i64(4, 4, U, V, i64), kostra_graph_u64(4, 4, U, V, u64),
        kostra_graph_f32(4, 4, U, V, f32), kostra_graph_f64(4, 4, U, V, f64),
    };
    const void *weights[] = {i32, u32, i64, u64, f32, f64};
    const size_t sizes[] = {4, 4, 8, 8, 4, 8};
    for (int type = KOSTRA_I32; type <= KOSTRA_F64; type++) {
        KostraGraph *graph = graphs[type];
        CHECK(graph != NULL);
        CHECK(kostra_graph_vertices(graph) == 4 && kostra_graph_edges(graph) == 4);
        CHECK(memcmp(kostra_graph_u(graph), U, sizeof U) == 0);
        CHECK(memcmp(kostra_graph_v(graph), V, sizeof V) == 0);
        CHECK(kostra_graph_weight_type(graph) == type);
        CHECK(memcmp(kostra_graph_weights(graph), weights[type], 4 * sizes[type]) == 0);
        KostraForest *forest = kostra_solve(graph, NULL, KOSTRA_MINIMUM, 1);
        CHECK(forest != NULL && kostra_forest_length(forest) == 2);
        int64_t total = 7;
        if (type == KOSTRA_I64) {
            CHECK(kostra_forest_integer_total(forest, &total) && total == INT64_MIN);
        } else if (type == KOSTRA_U64) { /* 1 + (2^64 - 1) */
            CHECK(!kostra_forest_integer_total(forest, &total) && total == 7);
            CHECK_ERROR("18446744073709551616 does not fit");
            CHECK(kostra_forest_total(forest) == 18446744073709551616.0);
        } else if (type == KOSTRA_F64) {
            CHECK(!kostra_forest_integer_total(forest, &total));
            CHECK_ERROR("no integers");
            CHECK(kostra_forest_total(forest) == -1.0);
        }
        kostra_forest_free(forest);
        kostra_graph_free(graph);
    }
    KostraGraph *empty = kostra_graph_f64(0, 0, NULL, NULL, NULL);
    CHECK(empty != NULL && kostra_graph_edges(empty) == 0);
    KostraForest *none = kostra_solve(empty, NULL, KOSTRA_MINIMUM, 0);
    CHECK(none != NULL && kostra_forest_length(none) == 0 && kostra_forest_components(none) == 0);
    CHECK(kostra_verify(empty, KOSTRA_MINIMUM, NULL, 0) == 1);
    CHECK(kostra_forest_labels(empty, none, NULL, 0));
    kostra_forest_free(none);
    kostra_graph_free(empty);
}

static void check_bad_graphs(void) {
    const double nan[] = {0.0, 0.0, 0.0, strtod("nan", NULL)};
    const double good[] = {0.0, 0.0, 0.0, 0.0};
    CHECK(kostra_graph_f64(3, 4, U, V, nan) == NULL);
    CHECK_ERROR("edge 3 has weight NaN");
    CHECK(kostra_graph_f64(2, 4, U, V, good) == NULL);
    CHECK_ERROR("edge 1 ends at vertex 2");
    CHECK(kostra_graph_f64(3, 4, NULL, V, good) == NULL);
    CHECK_ERROR("u is NULL");
    CHECK(kostra_graph_f64(3, 4, U, V, NULL) == NULL);
    CHECK_ERROR("weights is NULL");
    CHECK(kostra_graph_f64(3, SIZE_MAX, U, V, good) == NULL);
    CHECK_ERROR("no memory is that large");
    CHECK(kostra_graph_read("missing.gr") == NULL);
    CHECK_ERROR("missing.gr");
    CHECK(kostra_graph_read(NULL) == NULL);
    CHECK_ERROR("path is NULL");
}

static void check_forests(void) {
    KostraGraph *graph = kostra_graph_read("roads.gr");
    CHECK(graph != NULL);
    CHECK(kostra_graph_vertices(graph) == 3 && kostra_graph_edges(graph) == 3);
    KostraForest *forest = kostra_solve(graph, "boruvka", KOSTRA_MINIMUM, 2);
    CHECK(forest != NULL && kostra_forest_length(forest) == 2);
    const uint32_t *ids = kostra_forest_ids(forest);
    CHECK(ids[0] == 1 && ids[1] == 2);
    CHECK(kostra_forest_components(forest) == 1);
    CHECK(kostra_verify(graph, KOSTRA_MINIMUM, ids, 2) == 1);
    CHECK(kostra_verify(graph, KOSTRA_MAXIMUM, ids, 2) == 0);
    CHECK_ERROR("edge 0");
    CHECK(kostra_verify(graph, KOSTRA_MINIMUM, ids, 1) == 0);
    CHECK_ERROR("joins two trees");
    uint32_t labels[3] = {9, 9, 9};
    CHECK(kostra_forest_labels(graph, forest, labels, 3) && labels[0] + labels[1] + labels[2] == 0);
    CHECK(!kostra_forest_labels(graph, forest, labels, 2));
    CHECK_ERROR("2 labels for 3 vertices");
    CHECK(kostra_forest_write(graph, forest, "forest.csv"));
    char line[32] = "";
    FILE *file = fopen("forest.csv", "r");
    CHECK(file != NULL && fgets(line, sizeof line, file) != NULL);
    CHECK(strcmp(line, "edge,u,v,weight\n") == 0 && fclose(file) == 0);
    CHECK(!kostra_forest_write(graph, forest, "forest.pdf"));
    CHECK_ERROR("no forest format has the extension .pdf");
    KostraForest *maximum = kostra_solve(graph, NULL, KOSTRA_MAXIMUM, 0);
    CHECK(maximum != NULL && kostra_forest_ids(maximum)[0] == 0);
    kostra_forest_free(maximum);
    CHECK(kostra_solve(graph, "kruskall", KOSTRA_MINIMUM, 0) == NULL);
    CHECK_ERROR("did you mean");
    CHECK(kostra_solve(graph, NULL, 2, 0) == NULL);
    CHECK_ERROR("KOSTRA_MINIMUM");
    CHECK(kostra_verify(graph, -1, ids, 2) == -1);
    kostra_graph_free(graph);
    CHECK(ids[0] == 1); /* the forest is valid without its graph */
    kostra_forest_free(forest);
}

static void check_options(void) {
    CHECK(kostra_graph_read("roads.csv") == NULL);
    CHECK_ERROR("`\"weight=km\"`");
    const char *minutes[] = {"weight=minutes", NULL};
    KostraGraph *graph = kostra_graph_read_with("roads.csv", minutes);
    CHECK(graph != NULL && kostra_graph_weight_type(graph) == KOSTRA_I32);
    CHECK(((const int32_t *)kostra_graph_weights(graph))[1] == 95);
    kostra_graph_free(graph);
    graph = kostra_graph_read_with("roads.gr", NULL);
    CHECK(graph != NULL);
    kostra_graph_free(graph);
    const char *wrong[] = {"minutes", NULL};
    CHECK(kostra_graph_read_with("roads.csv", wrong) == NULL);
    CHECK_ERROR("there is no option \"minutes\"");
    CHECK(kostra_graph_read_with(NULL, minutes) == NULL);
    CHECK_ERROR("path is NULL");
}

static void check_names(void) {
    const char *names[] = {"names", NULL};
    KostraGraph *graph = kostra_graph_read_with("towns.csv", names);
    KostraForest *forest = kostra_solve(graph, NULL, KOSTRA_MINIMUM, 0);
    CHECK(kostra_forest_write(graph, forest, "forest.csv"));
    char line[32] = "";
    FILE *file = fopen("forest.csv", "r");
    CHECK(file != NULL && fgets(line, sizeof line, file) != NULL);
    CHECK(fgets(line, sizeof line, file) != NULL && strcmp(line, "0,Prague,Brno,205\n") == 0);
    fclose(file);
    kostra_forest_free(forest);
    kostra_graph_free(graph);
}

static void check_null(void) {
    CHECK(kostra_solve(NULL, NULL, KOSTRA_MINIMUM, 0) == NULL);
    CHECK_ERROR("graph is NULL");
    CHECK(kostra_verify(NULL, KOSTRA_MINIMUM, NULL, 0) == -1);
    CHECK(kostra_graph_vertices(NULL) == 0 && kostra_graph_edges(NULL) == 0);
    CHECK(kostra_graph_u(NULL) == NULL && kostra_graph_v(NULL) == NULL);
    CHECK(kostra_graph_weights(NULL) == NULL && kostra_graph_weight_type(NULL) == -1);
    CHECK(kostra_forest_length(NULL) == 0 && kostra_forest_ids(NULL) == NULL);
    CHECK(kostra_forest_components(NULL) == 0);
    CHECK(kostra_forest_total(NULL) != kostra_forest_total(NULL)); /* NaN */
    CHECK(!kostra_forest_integer_total(NULL, NULL));
    CHECK(!kostra_forest_write(NULL, NULL, NULL));
    CHECK(!kostra_forest_labels(NULL, NULL, NULL, 0));
    CHECK_ERROR("graph is NULL");
    kostra_graph_free(NULL);
    kostra_forest_free(NULL);
}

int main(void) {
    CHECK(strlen(kostra_version()) >= 5 && kostra_last_error()[0] == '\0');
    check_graphs();
    check_bad_graphs();
    check_forests();
    check_options();
    check_names();
    check_null();
    puts("all promises kept");
    return 0;
}
