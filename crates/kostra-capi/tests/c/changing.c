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

    KostraDynamicForest *turns = kostra_dynamic_new(3, KOSTRA_F64, KOSTRA_MINIMUM);
    const double falling[] = {3.0, 2.0, 1.0};
    check_ids(kostra_dynamic_insert_in_turn_f64(turns, 3, U, V, falling), 3,
              (const uint32_t[]){UINT32_MAX, UINT32_MAX, 0}, 3);
    CHECK_IDS(kostra_dynamic_ids, turns, 2, 1, 2);
    CHECK(kostra_dynamic_insert_in_turn_f64(turns, 1, U, V, NULL) == NULL);
    CHECK_ERROR("weights is NULL");
    kostra_dynamic_free(turns);

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
        const uint32_t *out = kostra_dynamic_insert_in_turn_##suffix(forest, 2, U, V, w); \
        CHECK(out != NULL && out[0] == 3 && out[1] == 4);                                \
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

/* The forest is that of a fresh solve of the present edges. */
static void check_solved(KostraDynamicForest *forest) {
    size_t present, length;
    uint32_t ids[400], expected[400];
    const uint32_t *found = kostra_dynamic_present_ids(forest, &present);
    CHECK(found != NULL && present < 400);
    memcpy(ids, found, present * sizeof *ids);
    KostraGraph *graph = kostra_dynamic_graph(forest, ids, present);
    KostraForest *solved = kostra_solve(graph, "kruskal", KOSTRA_MINIMUM, 1);
    CHECK(solved != NULL);
    for (size_t i = 0; i < kostra_forest_length(solved); i++)
        expected[i] = ids[kostra_forest_ids(solved)[i]];
    found = kostra_dynamic_ids(forest, &length);
    check_ids(found, length, expected, kostra_forest_length(solved));
    kostra_forest_free(solved);
    kostra_graph_free(graph);
}

static uint32_t below(uint32_t bound) {
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % bound;
}

/* Batches of all kinds, and sequences, give the forests of fresh solves. */
static void check_batches(void) {
    KostraDynamicForest *forest = kostra_dynamic_new(9, KOSTRA_I64, KOSTRA_MINIMUM);
    CHECK(kostra_dynamic_log(forest, "batches.log"));
    for (uint32_t round = 0; round < 60; round++) {
        size_t present;
        const uint32_t *found = kostra_dynamic_present_ids(forest, &present);
        uint32_t changed[4] = {0}, u[5], v[5];
        const uint32_t some = present < 8 ? 0 : 4;
        memcpy(changed, found + (present - some) / 2, some * sizeof *changed);
        int64_t heavy[2], w[5];
        for (int i = 0; i < 5; i++) u[i] = below(9), v[i] = below(9), w[i] = below(6);
        for (int i = 0; i < 2; i++) heavy[i] = below(6);
        const KostraUpdateBatch batch = {
            .weight_type = KOSTRA_I64, .expire = some ? found[0] + 1 : 0,
            .deleted = some / 2, .delete_ids = changed,
            .reweighted = some / 2, .reweight_ids = changed + 2, .new_weights = heavy,
            .inserted = 5, .u = u, .v = v, .weights = w};
        CHECK(kostra_dynamic_apply(forest, &batch) == 5 * (int64_t)round);
        check_solved(forest);
    }

    KostraUpdateBatch wrong = {0};
    CHECK(kostra_dynamic_apply(forest, &wrong) == -1);
    CHECK_ERROR("weight_type");
    CHECK(kostra_dynamic_apply(forest, NULL) == -1);
    wrong.weight_type = KOSTRA_I64;
    CHECK(kostra_dynamic_apply(forest, &wrong) == 300);
    wrong.deleted = 1;
    CHECK(kostra_dynamic_apply(forest, &wrong) == -1);
    CHECK_ERROR("delete_ids is NULL");
    kostra_dynamic_free(forest);

    forest = kostra_dynamic_open("batches.log", NULL);
    check_solved(forest);
    kostra_dynamic_free(forest);
}

static void check_sequences(void) {
    KostraDynamicForest *forest = kostra_dynamic_new(9, KOSTRA_F32, KOSTRA_MINIMUM);
    KostraDynamicForest *single = kostra_dynamic_new(9, KOSTRA_F32, KOSTRA_MINIMUM);
    uint8_t kinds[200];
    uint32_t first[200], second[200], next = 0;
    float weights[200];
    KostraForestStep steps[200], expected[200];
    for (int i = 0; i < 200; i++) {
        size_t present, length;
        const uint32_t *ids = kostra_dynamic_present_ids(single, &present);
        kinds[i] = present < 4 ? KOSTRA_INSERT : (uint8_t)below(3);
        first[i] = kinds[i] == KOSTRA_INSERT ? below(9) : ids[below((uint32_t)present)];
        second[i] = below(9), weights[i] = (float)below(6);
        if (kinds[i] == KOSTRA_INSERT)
            CHECK(kostra_dynamic_insert_f32(single, 1, &first[i], &second[i], &weights[i]) ==
                  next++);
        else if (kinds[i] == KOSTRA_DELETE)
            CHECK(kostra_dynamic_delete(single, &first[i], 1));
        else
            CHECK(kostra_dynamic_reweight_f32(single, &first[i], 1, &weights[i]));
        ids = kostra_dynamic_entered(single, &length);
        expected[i].entered = length ? ids[0] : UINT32_MAX;
        ids = kostra_dynamic_left(single, &length);
        expected[i].left = length ? ids[0] : UINT32_MAX;
        expected[i].total = kostra_dynamic_total(single);
    }
    KostraUpdateSequence sequence = {KOSTRA_F32, 120, kinds, first, second, weights};
    CHECK(kostra_dynamic_apply_sequence(forest, &sequence, steps));
    sequence = (KostraUpdateSequence){KOSTRA_F32, 80, kinds + 120, first + 120, second + 120,
                                      weights + 120};
    CHECK(kostra_dynamic_apply_sequence(forest, &sequence, steps + 120));
    for (int i = 0; i < 200; i++)
        CHECK(steps[i].entered == expected[i].entered && steps[i].left == expected[i].left &&
              steps[i].total == expected[i].total);
    check_solved(forest);

    const uint8_t odd = 3;
    sequence.updates = 1, sequence.kinds = &odd;
    CHECK(!kostra_dynamic_apply_sequence(forest, &sequence, steps));
    CHECK_ERROR("item 0 of kinds is 3");
    CHECK(!kostra_dynamic_apply_sequence(forest, &sequence, NULL));
    CHECK_ERROR("steps is NULL");
    sequence.weight_type = KOSTRA_F64;
    CHECK(!kostra_dynamic_apply_sequence(forest, &sequence, steps));
    CHECK_ERROR("weight_type");
    check_solved(forest);
    kostra_dynamic_free(forest);
    kostra_dynamic_free(single);
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
    check_batches();
    check_sequences();
    check_refusals();
    check_log();
    puts("all promises kept");
    return 0;
}
