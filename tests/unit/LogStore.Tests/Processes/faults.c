/* Preloaded into a child process: makes the n-th call of one function fail with an errno, as a device would.
   AMBROSIA_FAULT="fdatasync:3:5" = the third fdatasync returns EIO. "pwrite:2:-1" = the second pwrite writes half (a short write).
   Once a call has failed, all later ones of the same function fail too: devices rarely recover by themselves. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <stdatomic.h>

static char function_name[32];
static long fail_from;
static int fail_errno;
static atomic_long calls;

__attribute__((constructor)) static void configure(void)
{
    const char *text = getenv("AMBROSIA_FAULT");
    if (text == NULL || sscanf(text, "%31[^:]:%ld:%d", function_name, &fail_from, &fail_errno) != 3)
        function_name[0] = 0;
}

static int fault(const char *name)
{
    if (strcmp(name, function_name) != 0)
        return 0;
    long call = atomic_fetch_add(&calls, 1) + 1;
    if (fail_errno < 0)
        return call == fail_from ? fail_errno : 0;
    return call >= fail_from ? fail_errno : 0;
}

#define FAIL_IF_ASKED(name) do { int error = fault(name); if (error > 0) { errno = error; return -1; } } while (0)

int fdatasync(int fd)
{
    static int (*real)(int);
    if (!real) real = dlsym(RTLD_NEXT, "fdatasync");
    FAIL_IF_ASKED("fdatasync");
    return real(fd);
}

int fsync(int fd)
{
    static int (*real)(int);
    if (!real) real = dlsym(RTLD_NEXT, "fsync");
    FAIL_IF_ASKED("fsync");
    return real(fd);
}

ssize_t pwrite(int fd, const void *buffer, size_t count, off_t offset)
{
    static ssize_t (*real)(int, const void *, size_t, off_t);
    if (!real) real = dlsym(RTLD_NEXT, "pwrite");
    int error = fault("pwrite");
    if (error > 0) { errno = error; return -1; }
    return real(fd, buffer, error < 0 && count > 1 ? count / 2 : count, offset);
}

/* The same as the runtime calls it. */
ssize_t pwrite64(int fd, const void *buffer, size_t count, off64_t offset)
{
    static ssize_t (*real)(int, const void *, size_t, off64_t);
    if (!real) real = dlsym(RTLD_NEXT, "pwrite64");
    FAIL_IF_ASKED("pwrite64");
    return real(fd, buffer, count, offset);
}

int flock(int fd, int operation)
{
    static int (*real)(int, int);
    if (!real) real = dlsym(RTLD_NEXT, "flock");
    FAIL_IF_ASKED("flock");
    return real(fd, operation);
}
