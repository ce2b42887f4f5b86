/* What the tests in C share. */
#include <kostra.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(promise)                                                                   \
    do {                                                                                 \
        if (!(promise)) {                                                                \
            printf("line %d: %s; %s\n", __LINE__, #promise, kostra_last_error());        \
            exit(1);                                                                     \
        }                                                                                \
    } while (0)

/* Checks that the last error contains a word. */
#define CHECK_ERROR(word) CHECK(strstr(kostra_last_error(), word) != NULL)
