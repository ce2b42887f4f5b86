/* A CUDA driver without a device, for tests of the order of the host's calls. Device memory is host
   memory that is zero at first, and a kernel does nothing. Each call that a test checks is a line
   in the file that KOSTRA_FAKE_LOG names. KOSTRA_FAKE_DEVICES is the number of devices, 1 by
   default. KOSTRA_FAKE_PEERS=0 denies a device the memory of the others. KOSTRA_FAKE_FAULT=CALL:N
   makes a call fail on device N: "allocate", "launch" or "copy". */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef unsigned long long address;

struct function {
    char name[64];
};

static void note(const char* format, ...) {
    const char* path = getenv("KOSTRA_FAKE_LOG");
    char line[128];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    int file = path ? open(path, O_WRONLY | O_APPEND | O_CREAT, 0600) : -1;
    if (file < 0) return;
    if (write(file, line, (size_t)length) != length) abort();
    close(file);
}

static int allocate(void** memory, size_t bytes) {
    size_t whole = (bytes + 255) / 256 * 256;
    *memory = aligned_alloc(256, whole);
    if (!*memory) return 2;
    memset(*memory, 0, whole);
    return 0;
}

/* The context of device N is N + 1. */
static _Thread_local size_t current;

static int fails(const char* call) {
    const char* fault = getenv("KOSTRA_FAKE_FAULT");
    size_t length = strlen(call);
    return fault && strncmp(fault, call, length) == 0 && fault[length] == ':' &&
           strtoul(fault + length + 1, NULL, 10) + 1 == current;
}

/* The machine. */
int cuInit(unsigned flags) { return (void)flags, 0; }
int cuDriverGetVersion(int* version) { return *version = 13000, 0; }
int cuDeviceGetCount(int* count) {
    const char* devices = getenv("KOSTRA_FAKE_DEVICES");
    return *count = devices ? atoi(devices) : 1, 0;
}
int cuDeviceCanAccessPeer(int* can, int device, int peer) {
    const char* peers = getenv("KOSTRA_FAKE_PEERS");
    *can = !peers || strcmp(peers, "0") != 0;
    return note("%d asks for the memory of %d\n", device, peer), 0;
}
int cuDeviceGet(int* device, int ordinal) { return *device = ordinal, 0; }
int cuDeviceGetName(char* name, int length, int device) {
    return (void)device, snprintf(name, (size_t)length, "a fake device"), 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int device) {
    (void)device;
    switch (attribute) {
        case 16: *value = 4; break;    /* multiprocessors */
        case 39: *value = 2048; break; /* threads of a multiprocessor */
        case 75: *value = 9; break;    /* compute capability, major */
        case 76: *value = 0; break;    /* compute capability, minor */
        default: *value = 1;
    }
    return 0;
}
int cuDeviceTotalMem_v2(size_t* bytes, int device) {
    return (void)device, *bytes = (size_t)1 << 40, 0;
}
int cuMemGetInfo_v2(size_t* available, size_t* all) {
    return *available = *all = (size_t)1 << 40, 0;
}
int cuDevicePrimaryCtxRetain(void** context, int device) {
    return *context = (void*)((size_t)device + 1), 0;
}
int cuDevicePrimaryCtxRelease_v2(int device) { return (void)device, 0; }
int cuCtxGetCurrent(void** context) { return *context = (void*)current, 0; }
int cuCtxSetCurrent(void* context) { return current = (size_t)context, 0; }
int cuCtxSynchronize(void) { return 0; }
int cuGetErrorName(int code, const char** text) { return (void)code, *text = "fake", 0; }
int cuGetErrorString(int code, const char** text) { return (void)code, *text = "fake", 0; }

/* Memory. */
int cuDeviceGetDefaultMemPool(void** pool, int device) { return (void)device, *pool = (void*)1, 0; }
int cuMemPoolGetAttribute(void* pool, int name, void* value) {
    return (void)pool, (void)name, memset(value, 0, 8), 0;
}
int cuMemPoolSetAttribute(void* pool, int name, void* value) {
    return (void)pool, (void)name, (void)value, 0;
}
int cuMemPoolTrimTo(void* pool, size_t bytes) { return (void)pool, (void)bytes, 0; }
int cuMemPoolSetAccess(void* pool, const void* descriptions, size_t count) {
    return (void)pool, (void)descriptions, (void)count, note("give access\n"), 0;
}
int cuMemAlloc_v2(address* memory, size_t bytes) {
    return note("allocate\n"), allocate((void**)memory, bytes);
}
int cuMemAllocAsync(address* memory, size_t bytes, void* stream) {
    if (fails("allocate")) return 2;
    return (void)stream, note("allocate\n"), allocate((void**)memory, bytes);
}
int cuMemHostAlloc(void** memory, size_t bytes, unsigned flags) {
    return (void)flags, allocate(memory, bytes);
}
int cuMemFree_v2(address memory) { return free((void*)memory), 0; }
int cuMemFreeAsync(address memory, void* stream) { return (void)stream, free((void*)memory), 0; }
int cuMemFreeHost(void* memory) { return free(memory), 0; }
int cuMemcpyDtoDAsync_v2(address to, address from, size_t bytes, void* stream) {
    if (fails("copy")) return 719;
    return (void)stream, memcpy((void*)to, (void*)from, bytes), 0;
}
int cuMemcpyDtoHAsync_v2(void* to, address from, size_t bytes, void* stream) {
    return (void)stream, memcpy(to, (void*)from, bytes), 0;
}
int cuMemcpyHtoDAsync_v2(address to, const void* from, size_t bytes, void* stream) {
    return (void)stream, memcpy((void*)to, from, bytes), 0;
}
int cuMemsetD8Async(address memory, unsigned char byte, size_t bytes, void* stream) {
    return (void)stream, memset((void*)memory, byte, bytes), 0;
}
int cuMemsetD32Async(address memory, unsigned word, size_t words, void* stream) {
    for (size_t i = 0; i < words; i++) ((unsigned*)memory)[i] = word;
    return (void)stream, 0;
}
int cuPointerGetAttribute(void* value, int name, address memory) {
    return (void)name, (void)memory, memset(value, 0, 4), 0;
}

/* Kernels. */
int cuModuleLoadData(void** module, const void* image) {
    return (void)image, note("load module\n"), *module = (void*)1, 0;
}
int cuModuleUnload(void* module) { return (void)module, 0; }
int cuModuleGetFunction(void** function, void* module, const char* name) {
    struct function* found = malloc(sizeof *found);
    if (!found) return 2;
    snprintf(found->name, sizeof found->name, "%s", name);
    return (void)module, *function = found, 0;
}
int cuFuncGetAttribute(int* value, int name, void* function) {
    return (void)name, (void)function, *value = 0, 0;
}
int cuFuncSetAttribute(void* function, int name, int value) {
    return (void)function, (void)name, (void)value, 0;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void* function, int block,
                                                size_t shared) {
    return (void)function, (void)block, (void)shared, note("occupancy\n"), *blocks = 2, 0;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, void* function, int block,
                                                         size_t shared, unsigned flags) {
    return (void)flags,
           cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block, shared);
}
int cuLaunchKernel(void* function, unsigned x, unsigned y, unsigned z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared, void* stream,
                   void** parameters, void** extra) {
    (void)x, (void)y, (void)z, (void)block_x, (void)block_y, (void)block_z;
    (void)shared, (void)stream, (void)parameters, (void)extra;
    if (fails("launch")) return 719;
    return note("launch %s\n", ((struct function*)function)->name), 0;
}
int cuLaunchCooperativeKernel(void* function, unsigned x, unsigned y, unsigned z, unsigned block_x,
                              unsigned block_y, unsigned block_z, unsigned shared, void* stream,
                              void** parameters) {
    return cuLaunchKernel(function, x, y, z, block_x, block_y, block_z, shared, stream, parameters,
                          NULL);
}

/* Streams and events. */
int cuStreamCreate(void** stream, unsigned flags) { return (void)flags, *stream = (void*)1, 0; }
int cuStreamDestroy_v2(void* stream) { return (void)stream, 0; }
int cuStreamSynchronize(void* stream) { return (void)stream, 0; }
int cuStreamWaitEvent(void* stream, void* event, unsigned flags) {
    return (void)stream, (void)event, (void)flags, 0;
}
int cuEventCreate(void** event, unsigned flags) {
    return (void)flags, note("create event\n"), *event = (void*)1, 0;
}
int cuEventDestroy_v2(void* event) { return (void)event, 0; }
int cuEventElapsedTime(float* milliseconds, void* start, void* end) {
    return (void)start, (void)end, *milliseconds = 1, 0;
}
int cuEventQuery(void* event) { return (void)event, 0; }
int cuEventRecord(void* event, void* stream) {
    return (void)event, (void)stream, note("record event\n"), 0;
}
int cuEventSynchronize(void* event) { return (void)event, 0; }
