/* Preloaded in front of the C library: makes chosen calls fail, be cut short or be slow, as a device, a quota, a signal or a network would.
   Only calls on files below one folder count, told apart by what the file is, and calls on sockets.
   Armed from within by faults_arm, or from outside by AMBROSIA_FAULT=folder|call|kind|nth|error|times|delay; each fault that strikes is noted in
   the file AMBROSIA_FAULT_REPORT. error -1: half of the bytes only; -2: none of them (a result of 0). times 0: from the nth call on, for ever. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MOST_COUNTS 256
#define SHORT -1
#define NOTHING -2

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static char folder[512], call_name[32], kind_name[48], struck_path[512];
static long nth, times, passed, fired, after;
static int error_number, delay_ms, armed;
static struct { char call[32]; char kind[48]; long count; } counts[MOST_COUNTS];
static int count_size;

static const char *kind_of(const char *path)
{
    static const struct { const char *mark, *kind; } kinds[] = {
        { ".seg.broken.tmp", "cut tail aside" }, { ".seg.broken", "cut tail" }, { ".seg.tmp", "segment aside" }, { ".seg", "segment" },
        { ".free.tmp", "spare segment aside" }, { ".free", "spare segment" }, { ".ckpt.tmp", "checkpoint aside" }, { ".ckpt", "checkpoint" },
    };
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strstr(name, kinds[i].mark)) return kinds[i].kind;
    if (strncmp(name, "manifest", 8) == 0) return strstr(name, ".tmp") ? "manifest aside" : "manifest";
    if (strcmp(name, "lock") == 0) return "lock";
    if (strstr(path, "/scratch/")) return "scratch";
    return "folder";
}

static void note(const char *call, const char *kind)
{
    const char *report = getenv("AMBROSIA_FAULT_REPORT");
    if (!report) return;
    char line[160];
    int size = snprintf(line, sizeof line, "%s|%s|%d\n", call, kind, error_number);
    int fd = (int)syscall(SYS_openat, AT_FDCWD, report, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd >= 0) {
        if (syscall(SYS_write, fd, line, size) < 0) { /* The harness misses the line and says so. */ }
        syscall(SYS_close, fd);
    }
}

/* Returns 0, or the fault that this call is to suffer. */
static int strike(const char *call, const char *kind, const char *path)
{
    int result = 0, delay = 0;
    pthread_mutex_lock(&gate);
    int at = 0;
    while (at < count_size && (strcmp(counts[at].call, call) || strcmp(counts[at].kind, kind))) at++;
    if (at == count_size && count_size < MOST_COUNTS) {
        snprintf(counts[at].call, sizeof counts[at].call, "%s", call);
        snprintf(counts[at].kind, sizeof counts[at].kind, "%s", kind);
        counts[at].count = 0;
        count_size++;
    }
    if (at < MOST_COUNTS) counts[at].count++;
    if (fired && strcmp(path, struck_path) == 0 && (!strcmp(call, "pwrite") || !strcmp(call, "fdatasync") || !strcmp(call, "fsync"))) after++;
    if (armed && !strcmp(call, call_name) && !strcmp(kind, kind_name) && ++passed >= nth && (times == 0 || passed < nth + times)) {
        result = error_number;
        delay = delay_ms;
        if (!fired++) snprintf(struck_path, sizeof struck_path, "%s", path);
        note(call, kind);
    }
    pthread_mutex_unlock(&gate);
    if (delay) {
        struct timespec pause = { delay / 1000, delay % 1000 * 1000000L };
        nanosleep(&pause, NULL);
    }
    return result;
}

static int on_path(const char *call, const char *path)
{
    return folder[0] && path && strncmp(path, folder, strlen(folder)) == 0 ? strike(call, kind_of(path), path) : 0;
}

static int on_file(const char *call, int fd)
{
    if (!folder[0]) return 0;
    char link[40], path[512];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    int saved = errno;
    ssize_t size = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    errno = saved;
    if (size <= 0) return 0;
    path[size] = 0;
    return on_path(call, path);
}

static int on_socket(const char *call) { return folder[0] ? strike(call, "socket", "") : 0; }

void faults_arm(const char *where, const char *call, const char *kind, long first, int error, long how_often, int delay)
{
    pthread_mutex_lock(&gate);
    snprintf(folder, sizeof folder, "%s", where);
    snprintf(call_name, sizeof call_name, "%s", call);
    snprintf(kind_name, sizeof kind_name, "%s", kind);
    nth = first; error_number = error; times = how_often; delay_ms = delay;
    passed = fired = after = 0;
    count_size = 0;
    armed = call[0] != 0;
    pthread_mutex_unlock(&gate);
}

/* Times that the fault struck; afterwards nothing strikes any more. */
long faults_disarm(void)
{
    pthread_mutex_lock(&gate);
    armed = 0;
    folder[0] = 0;
    long result = fired;
    pthread_mutex_unlock(&gate);
    return result;
}

/* Writes and syncs of the same file after the first strike. */
long faults_after(void) { return after; }

long faults_fired(void) { return fired; }

/* Lines "call|kind|count" of everything that passed since arming. */
void faults_counts(char *buffer, long size)
{
    pthread_mutex_lock(&gate);
    long used = 0;
    buffer[0] = 0;
    for (int i = 0; i < count_size && used < size; i++)
        used += snprintf(buffer + used, (size_t)(size - used), "%s|%s|%ld\n", counts[i].call, counts[i].kind, counts[i].count);
    pthread_mutex_unlock(&gate);
}

__attribute__((constructor)) static void configure(void)
{
    const char *text = getenv("AMBROSIA_FAULT");
    char where[512], call[32], kind[48];
    long first, how_often;
    int error, delay;
    if (text && sscanf(text, "%511[^|]|%31[^|]|%47[^|]|%ld|%d|%ld|%d", where, call, kind, &first, &error, &how_often, &delay) == 7)
        faults_arm(where, call, kind, first, error, how_often, delay);
}

#define REAL(result, name, ...) static result (*real)(__VA_ARGS__); if (!real) real = (result (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)
#define FAIL(fault) do { int f = (fault); if (f > 0) { errno = f; return -1; } } while (0)

int open(const char *path, int flags, ...)
{
    REAL(int, "open", const char *, int, ...);
    va_list rest; va_start(rest, flags); mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(rest, mode_t) : 0; va_end(rest);
    FAIL(on_path("open", path));
    return real(path, flags, mode);
}

int close(int fd)
{
    REAL(int, "close", int);
    int fault = on_file("close", fd);
    int result = real(fd); /* Linux gives the descriptor back whatever it says. */
    FAIL(fault);
    return result;
}

ssize_t pread(int fd, void *buffer, size_t count, off_t offset)
{
    REAL(ssize_t, "pread", int, void *, size_t, off_t);
    int fault = on_file("pread", fd);
    FAIL(fault);
    return real(fd, buffer, fault == SHORT && count > 1 ? count / 2 : count, offset);
}

ssize_t pwrite(int fd, const void *buffer, size_t count, off_t offset)
{
    REAL(ssize_t, "pwrite", int, const void *, size_t, off_t);
    int fault = on_file("pwrite", fd);
    FAIL(fault);
    if (fault == NOTHING) return 0;
    return real(fd, buffer, fault == SHORT && count > 1 ? count / 2 : count, offset);
}

int fdatasync(int fd) { REAL(int, "fdatasync", int); FAIL(on_file("fdatasync", fd)); return real(fd); }
int fsync(int fd) { REAL(int, "fsync", int); FAIL(on_file("fsync", fd)); return real(fd); }
int ftruncate(int fd, off_t length) { REAL(int, "ftruncate", int, off_t); FAIL(on_file("ftruncate", fd)); return real(fd, length); }
int flock(int fd, int operation) { REAL(int, "flock", int, int); FAIL(on_file("flock", fd)); return real(fd, operation); }
int rename(const char *from, const char *to) { REAL(int, "rename", const char *, const char *); FAIL(on_path("rename", to)); return real(from, to); }
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) { REAL(int, "renameat2", int, const char *, int, const char *, unsigned); FAIL(on_path("renameat2", to)); return real(a, from, b, to, flags); }
int link(const char *from, const char *to) { REAL(int, "link", const char *, const char *); FAIL(on_path("link", to)); return real(from, to); }
int unlink(const char *path) { REAL(int, "unlink", const char *); FAIL(on_path("unlink", path)); return real(path); }
int mkdir(const char *path, mode_t mode) { REAL(int, "mkdir", const char *, mode_t); FAIL(on_path("mkdir", path)); return real(path, mode); }
int statfs(const char *path, struct statfs *result) { REAL(int, "statfs", const char *, struct statfs *); FAIL(on_path("statfs", path)); return real(path, result); }

int statx(int at, const char *path, int flags, unsigned mask, struct statx *result)
{
    REAL(int, "statx", int, const char *, int, unsigned, struct statx *);
    FAIL(path[0] ? on_path("statx", path) : on_file("statx", at));
    return real(at, path, flags, mask, result);
}

DIR *opendir(const char *path)
{
    REAL(DIR *, "opendir", const char *);
    int fault = on_path("opendir", path);
    if (fault > 0) { errno = fault; return NULL; }
    return real(path);
}

struct dirent *readdir(DIR *stream)
{
    REAL(struct dirent *, "readdir", DIR *);
    int fault = on_file("readdir", dirfd(stream));
    if (fault > 0) { errno = fault; return NULL; }
    return real(stream);
}

int accept4(int fd, struct sockaddr *address, socklen_t *size, int flags) { REAL(int, "accept4", int, struct sockaddr *, socklen_t *, int); FAIL(on_socket("accept4")); return real(fd, address, size, flags); }
int connect(int fd, const struct sockaddr *address, socklen_t size) { REAL(int, "connect", int, const struct sockaddr *, socklen_t); FAIL(on_socket("connect")); return real(fd, address, size); }
int socket(int domain, int type, int protocol) { REAL(int, "socket", int, int, int); FAIL(on_socket("socket")); return real(domain, type, protocol); }

ssize_t recv(int fd, void *buffer, size_t count, int flags)
{
    REAL(ssize_t, "recv", int, void *, size_t, int);
    int fault = on_socket("recv");
    FAIL(fault);
    return real(fd, buffer, fault == SHORT && count > 1 ? count / 2 : count, flags);
}

ssize_t send(int fd, const void *buffer, size_t count, int flags)
{
    REAL(ssize_t, "send", int, const void *, size_t, int);
    int fault = on_socket("send");
    FAIL(fault);
    return real(fd, buffer, fault == SHORT && count > 1 ? count / 2 : count, flags);
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags) { REAL(ssize_t, "recvmsg", int, struct msghdr *, int); FAIL(on_socket("recvmsg")); return real(fd, message, flags); }
ssize_t sendmsg(int fd, const struct msghdr *message, int flags) { REAL(ssize_t, "sendmsg", int, const struct msghdr *, int); FAIL(on_socket("sendmsg")); return real(fd, message, flags); }
