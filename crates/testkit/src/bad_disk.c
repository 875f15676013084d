/* Makes writes and syncs of one process fail or wait, as a file tells: see bad_disk.rs. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char state(void) {
    const char *path = getenv("MEGABOARD_TEST_DISK");
    char state = '-';
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file >= 0) {
        if (read(file, &state, 1) != 1)
            state = '-';
        close(file);
    }
    return state;
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
    static ssize_t (*real)(int, const void *, size_t, off64_t);
    struct stat about;
    char now = state();
    if (!real)
        real = dlsym(RTLD_NEXT, "pwrite64");
    if (now == 'r' || (now == 'f' && !fstat(file, &about) && offset + (off64_t)count > about.st_size)) {
        errno = ENOSPC;
        return -1;
    }
    return real(file, bytes, count, offset);
}

int fdatasync(int file) {
    static int (*real)(int);
    if (!real)
        real = dlsym(RTLD_NEXT, "fdatasync");
    if (state() == 's')
        nanosleep(&(struct timespec){.tv_nsec = 400000000}, NULL);
    return real(file);
}
