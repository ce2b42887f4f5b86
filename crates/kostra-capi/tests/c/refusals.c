// Memory that the system refuses while a file is read is an error: the program goes on.

#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "check.h"

// The address space of this process in bytes.
static rlim_t used(void) {
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;
    CHECK(file != NULL && fscanf(file, "%lu", &pages) == 1);
    fclose(file);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

int main(void) {
    const char *const options[] = {"zeros=edge", NULL};
    const char *const names[] = {"matrix.txt", "neighbors.txt", "dictionary.txt", "lines.geojson"};
    // The text itself and the rows of a block fit.
    const rlim_t limits[] = {12 << 20, 16 << 20, 20 << 20};
    for (size_t name = 0; name < sizeof names / sizeof *names; ++name) {
        for (size_t limit = 0; limit < sizeof limits / sizeof *limits; ++limit) {
            struct rlimit free = {RLIM_INFINITY, RLIM_INFINITY};
            struct rlimit tight = {used() + limits[limit], RLIM_INFINITY};
            CHECK(setrlimit(RLIMIT_AS, &tight) == 0);
            KostraGraph *graph = kostra_graph_read_with(names[name], name == 0 ? options : NULL);
            CHECK(setrlimit(RLIMIT_AS, &free) == 0);
            CHECK(graph == NULL);
            CHECK_ERROR("which the system does not grant");
        }
    }
    puts("all promises kept");
    return 0;
}
