/* Calls the functions of kostra.h for graphs that change, and checks what they promise. */
#include "check.h"

/* Checks ids that a function returns with their number. */
static void check_ids(const uint32_t *ids, size_t length, const uint32_t *expected, size_t count) {
    CHECK(ids != NULL && length == count);
    CHECK(count == 0 || memcmp(ids, expected, count * sizeof *ids) == 0);
}

#define CHECK_IDS(function, forest, count, ...)                                          \
    do {                                                                                 \
        const uint32_t expected[] = {__VA_ARGS__};                                       \
        size_t length = 99;                                                              \
        const uint32_t *ids = function(forest, &length);                                 \
        check_ids(ids, length, expected, count);                                         \
    } while (0)

static const uint32_t U[] = {0, 1, 2};
static const uint32_t V[] = {1, 2, 0};

static void check_updates(void) {
    const double w[] = {1.0, 2.0, 3.0};
    KostraDynamicForest *forest = kostra_dynamic_new(4, KOSTRA_F64, KOSTRA_MINIMUM);
    CHECK(forest != NULL);
    CHECK(kostra_dynamic_weight_type(forest) == KOSTRA_F64);
    CHECK(kostra_dynamic_order(forest) == KOSTRA_MINIMUM);
    CHECK(kostra_dynamic_insert_f64(forest, 3, U, V, w) == 0);
    CHECK(kostra_dynamic_vertices(forest) == 4 && kostra_dynamic_edges(forest) == 3);
    CHECK_IDS(kostra_dynamic_ids, forest, 2, 0, 1);
    CHECK_IDS(kostra_dynamic_entered, forest, 2, 0, 1);
    CHECK_IDS(kostra_dynamic_left, forest, 0, 0);
    CHECK(kostra_dynamic_total(forest) == 3.0 && kostra_dynamic_components(forest) == 2);
    CHECK(kostra_dynamic_connected(forest, 0, 2) == 1);
    CHECK(kostra_dynamic_connected(forest, 0, 3) == 0);
    CHECK(kostra_dynamic_bottleneck(forest, 0, 2) == 1);
    CHECK(kostra_dynamic_bottleneck(forest, 0, 3) == -1);
    CHECK_ERROR("no path joins the vertices 0 and 3");
    CHECK(kostra_dynamic_bottleneck(forest, 3, 3) == -1);
    CHECK_ERROR("to itself");
    CHECK(kostra_dynamic_component_size(forest, 1) == 3);

    const uint32_t one = 1, two = 2;
    CHECK(kostra_dynamic_delete(forest, &one, 1));
    CHECK_IDS(kostra_dynamic_entered, forest, 1, 2);
    CHECK_IDS(kostra_dynamic_left, forest, 1, 1);
    CHECK_IDS(kostra_dynamic_present_ids, forest, 2, 0, 2);
    const double half = 0.5;
    CHECK(kostra_dynamic_reweight_f64(forest, &two, 1, &half));
    CHECK(kostra_dynamic_bottleneck(forest, 1, 2) == 0);
    CHECK(kostra_dynamic_insert_f64(forest, 0, NULL, NULL, NULL) == 3);

    KostraGraph *graph = kostra_dynamic_graph(forest, &two, 1);
    CHECK(graph != NULL && kostra_graph_edges(graph) == 1 && kostra_graph_vertices(graph) == 4);
    CHECK(kostra_graph_u(graph)[0] == 2 && kostra_graph_v(graph)[0] == 0);
    CHECK(*(const double *)kostra_graph_weights(graph) == 0.5);
    kostra_graph_free(graph);

    CHECK(kostra_dynamic_expire(forest, 2) == 1);
    CHECK_IDS(kostra_dynamic_ids, forest, 1, 2);
    const char *names[] = {"Brno"};
    CHECK(kostra_dynamic_add_vertices(forest, 2, NULL) == 4);
    CHECK(kostra_dynamic_vertices(forest) == 6 && kostra_dynamic_components(forest) == 5);
    CHECK(kostra_dynamic_connected(forest, 5, 0) == 0);
    CHECK(kostra_dynamic_add_vertices(forest, 1, names) == -1);
    CHECK_ERROR("have no names");
    CHECK(kostra_dynamic_add_vertices(forest, UINT32_MAX, NULL) == -1);
    CHECK(!kostra_dynamic_compact(forest));
    CHECK_ERROR("no log");
    kostra_dynamic_free(forest);
}

/* One edge of each type of weights enters and is made heavier than another one. */
#define CHECK_TYPE(type, suffix, code)                                                   \
    do {                                                                                 \
        const type w[] = {1, 2, 3}, heavy = 7;                                           \
        const uint32_t first = 0;                                                        \
        KostraDynamicForest *forest = kostra_dynamic_new(3, code, KOSTRA_MAXIMUM);       \
        CHECK(kostra_dynamic_insert_##suffix(forest, 3, U, V, w) == 0);                  \
        CHECK(kostra_dynamic_reweight_##suffix(forest, &first, 1, &heavy));              \
        CHECK_IDS(kostra_dynamic_ids, forest, 2, 0, 2);                                  \
        CHECK(kostra_dynamic_total(forest) == 10.0);                                     \
        kostra_dynamic_free(forest);                                                     \
    } while (0)

static void check_types(void) {
    CHECK_TYPE(int32_t, i32, KOSTRA_I32);
    CHECK_TYPE(uint32_t, u32, KOSTRA_U32);
    CHECK_TYPE(int64_t, i64, KOSTRA_I64);
    CHECK_TYPE(uint64_t, u64, KOSTRA_U64);
    CHECK_TYPE(float, f32, KOSTRA_F32);
    CHECK_TYPE(double, f64, KOSTRA_F64);
}

static void check_refusals(void) {
    const double w[] = {1.0, 2.0, strtod("nan", NULL)};
    const int32_t integers[] = {1, 2, 3};
    const uint32_t missing = 7, twice[] = {0, 0};
    KostraDynamicForest *forest = kostra_dynamic_new(3, KOSTRA_F64, KOSTRA_MINIMUM);
    CHECK(kostra_dynamic_insert_f64(forest, 2, U, V, w) == 0);
    CHECK(kostra_dynamic_insert_f64(forest, 3, U, V, w) == -1);
    CHECK_ERROR("NaN");
    CHECK(kostra_dynamic_insert_i32(forest, 3, U, V, integers) == -1);
    CHECK_ERROR("the weights have the type i32, those of the forest f64");
    CHECK(!kostra_dynamic_reweight_i32(forest, twice, 1, integers));
    CHECK(kostra_dynamic_insert_f64(forest, 1, NULL, V, w) == -1);
    CHECK_ERROR("u is NULL");
    CHECK(kostra_dynamic_insert_f64(forest, 1, &missing, V, w) == -1);
    CHECK_ERROR("vertex 7");
    CHECK(!kostra_dynamic_delete(forest, &missing, 1));
    CHECK_ERROR("edge 7 is not present");
    CHECK(!kostra_dynamic_delete(forest, twice, 2));
    CHECK_ERROR("twice");
    CHECK(kostra_dynamic_connected(forest, 0, 3) == -1);
    CHECK(kostra_dynamic_component_size(forest, 3) == 0);
    CHECK_ERROR("no vertex 3");
    CHECK(kostra_dynamic_graph(forest, &missing, 1) == NULL);
    int64_t total = 7;
    CHECK(!kostra_dynamic_integer_total(forest, &total) && total == 7);
    CHECK_ERROR("call kostra_dynamic_total()");
    CHECK(kostra_dynamic_ids(forest, NULL) == NULL);
    CHECK_ERROR("length is NULL");
    CHECK_IDS(kostra_dynamic_ids, forest, 2, 0, 1);
    kostra_dynamic_free(forest);

    CHECK(kostra_dynamic_new(3, 6, KOSTRA_MINIMUM) == NULL);
    CHECK_ERROR("pass KOSTRA_F64");
    CHECK(kostra_dynamic_new(UINT32_MAX, KOSTRA_F64, KOSTRA_MINIMUM) == NULL);
    CHECK(kostra_dynamic_new(3, KOSTRA_F64, 2) == NULL);
    CHECK_ERROR("KOSTRA_MAXIMUM");
    CHECK(kostra_dynamic_of_graph(NULL, KOSTRA_MINIMUM) == NULL);
    CHECK(kostra_dynamic_open("missing.log", NULL) == NULL);
    CHECK_ERROR("missing.log");
    CHECK(!kostra_dynamic_log(NULL, "x.log"));
    CHECK_ERROR("forest is NULL");
    CHECK(kostra_dynamic_vertices(NULL) == 0 && kostra_dynamic_edges(NULL) == 0);
    CHECK(kostra_dynamic_weight_type(NULL) == -1 && kostra_dynamic_order(NULL) == -1);
    CHECK(kostra_dynamic_components(NULL) == 0 && kostra_dynamic_expire(NULL, 1) == -1);
    CHECK(kostra_dynamic_total(NULL) != kostra_dynamic_total(NULL)); /* NaN */
    kostra_dynamic_free(NULL);
}

/* The names of a file's vertices and all updates are in the log. */
static void check_log(void) {
    const char *names[] = {"names", NULL};
    KostraGraph *graph = kostra_graph_read_with("towns.csv", names);
    KostraDynamicForest *forest = kostra_dynamic_of_graph(graph, KOSTRA_MAXIMUM);
    kostra_graph_free(graph);
    CHECK(forest != NULL && kostra_dynamic_log(forest, "towns.log"));
    CHECK(!kostra_dynamic_log(forest, "second.log"));
    CHECK_ERROR("has a log");
    const uint32_t u = 0, v = 1, first = 0;
    const int32_t km = 210;
    CHECK(kostra_dynamic_insert_i32(forest, 1, &u, &v, &km) == 1);
    CHECK_IDS(kostra_dynamic_left, forest, 1, 0);
    CHECK(kostra_dynamic_open("towns.log", NULL) == NULL);
    CHECK_ERROR("another process uses this log");
    kostra_dynamic_free(forest);

    /* A crash tears the next update. */
    FILE *file = fopen("towns.log", "ab");
    CHECK(file != NULL && fputs("torn", file) >= 0 && fclose(file) == 0);
    uint64_t dropped = 0;
    forest = kostra_dynamic_open("towns.log", &dropped);
    CHECK(forest != NULL && dropped == 4);
    CHECK(kostra_dynamic_order(forest) == KOSTRA_MAXIMUM);
    CHECK_IDS(kostra_dynamic_ids, forest, 1, 1);
    int64_t total = 0;
    CHECK(kostra_dynamic_integer_total(forest, &total) && total == 210);
    CHECK(kostra_dynamic_delete(forest, &first, 1));
    size_t length;
    const uint32_t *ids = kostra_dynamic_ids(forest, &length);
    graph = kostra_dynamic_graph(forest, ids, length);
    KostraForest *solved = kostra_solve(graph, NULL, KOSTRA_MAXIMUM, 0);
    CHECK(kostra_forest_write(graph, solved, "changed.csv"));
    char line[32] = "";
    file = fopen("changed.csv", "r");
    CHECK(file != NULL && fgets(line, sizeof line, file) != NULL);
    CHECK(fgets(line, sizeof line, file) != NULL && strcmp(line, "0,Prague,Brno,210\n") == 0);
    fclose(file);
    kostra_forest_free(solved);
    kostra_graph_free(graph);
    kostra_dynamic_free(forest);

    const char *more[] = {"Ostrava", "Brno-Kr\xc3\xa1lovo"}, *wrong[] = {"\xff"};
    forest = kostra_dynamic_open("towns.log", NULL);
    CHECK_IDS(kostra_dynamic_present_ids, forest, 1, 1);
    CHECK(kostra_dynamic_add_vertices(forest, 1, NULL) == -1);
    CHECK_ERROR("pass those of new ones");
    CHECK(kostra_dynamic_add_vertices(forest, 1, wrong) == -1);
    CHECK_ERROR("UTF-8");
    const uint32_t third = kostra_dynamic_add_vertices(forest, 2, more);
    CHECK(third == 2 && kostra_dynamic_insert_i32(forest, 1, &third, &v, &km) == 2);
    CHECK(kostra_dynamic_compact(forest));
    kostra_dynamic_free(forest);

    forest = kostra_dynamic_open("towns.log", NULL);
    CHECK_IDS(kostra_dynamic_present_ids, forest, 2, 1, 2);
    CHECK(kostra_dynamic_vertices(forest) == 4);
    CHECK(kostra_dynamic_insert_i32(forest, 1, &u, &v, &km) == 3);
    kostra_dynamic_free(forest);
}

int main(void) {
    check_updates();
    check_types();
    check_refusals();
    check_log();
    puts("all promises kept");
    return 0;
}
