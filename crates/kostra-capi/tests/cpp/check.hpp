// What the tests in C++ share.
#include <kostra.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>

#define CHECK(promise)                                         \
    do {                                                       \
        if (!(promise)) {                                      \
            std::printf("line %d: %s\n", __LINE__, #promise);  \
            std::exit(1);                                      \
        }                                                      \
    } while (0)

/// The error of a call, which must fail.
template <typename Call>
std::string error_of(Call call) {
    try {
        call();
    } catch (const kostra::error &error) {
        return error.what();
    }
    return "no error";
}

/// Checks that the error of a call, which may contain commas, contains some words.
#define CHECK_ERROR(words, ...) \
    CHECK(error_of([&] { (void)(__VA_ARGS__); }).find(words) != std::string::npos)
