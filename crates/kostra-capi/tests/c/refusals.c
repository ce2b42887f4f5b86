// Memory that the system refuses, however much it grants before, does not end the program: a
// function returns a result or an error.

#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { VERTICES = 20000, EDGES = 100000 };
static unsigned u[EDGES], v[EDGES];
static int weights[EDGES];

// The address space of this process in bytes.
static rlim_t used(void) {
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;
    CHECK(file != NULL && fscanf(file, "%lu", &pages) == 1);
    fclose(file);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

static void limit(rlim_t bytes) {
    struct rlimit tight = {bytes, RLIM_INFINITY};
    CHECK(setrlimit(RLIMIT_AS, &tight) == 0);
}

// Reads or solves. Returns whether the function has a result.
static int work(const char *name) {
    const char *const options[] = {"zeros=edge", NULL};
    if (name != NULL) {
        int is_matrix = name[0] == 'm';
        KostraGraph *graph = kostra_graph_read_with(name, is_matrix ? options : NULL);
        int is_read = graph != NULL;
        kostra_graph_free(graph);
        return is_read;
    }
    KostraGraph *graph = kostra_graph_i32(VERTICES, EDGES, u, v, weights);
    if (graph == NULL) return 0;
    KostraForest *forest = kostra_solve(graph, "auto", KOSTRA_MINIMUM, 2);
    int is_solved = forest != NULL;
    kostra_forest_free(forest);
    kostra_graph_free(graph);
    return is_solved;
}

int main(int arguments, char **argument) {
    for (size_t edge = 0; edge < EDGES; ++edge) {
        u[edge] = (unsigned)(edge % VERTICES);
        v[edge] = (unsigned)((edge * 7919 + 1) % VERTICES);
        weights[edge] = (int)(edge * 31 % 1009);
    }
    // The first call of a process takes what it keeps.
    CHECK(kostra_graph_read("no such file") == NULL);
    // The last one solves.
    for (int at = 1; at <= arguments; ++at) {
        const char *name = argument[at];
        int refused = 0, granted = 0;
        for (rlim_t bytes = 0; bytes <= 256 << 20 && granted < 3; bytes += (512 << 10) + bytes / 8) {
            fflush(NULL);
            pid_t child = fork();
            CHECK(child >= 0);
            if (child == 0) {
                limit(used() + bytes);
                int has_result = work(name);
                limit(RLIM_INFINITY);
                if (!has_result) {
                    CHECK(strlen(kostra_last_error()) > 0);
                    CHECK(strstr(kostra_last_error(), "fault") == NULL);
                }
                _exit(has_result ? 0 : 1);
            }
            int status = 0;
            CHECK(waitpid(child, &status, 0) == child);
            if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) {
                printf("%s ends with %lu KiB\n", name != NULL ? name : "solve", (unsigned long)(bytes >> 10));
                return 1;
            }
            granted += WEXITSTATUS(status) == 0;
            refused += WEXITSTATUS(status) == 1;
        }
        CHECK(refused > 0);
        CHECK(granted > 0);
    }
    puts("all promises kept");
    return 0;
}
