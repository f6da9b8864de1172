#include "formats/platform.h"

#include <errno.h>
#include <fcntl.h>

#if defined(_WIN32)

#define WIN32_LEAN_AND_MEAN
#include <io.h>
#include <windows.h>

const int PLATFORM_OPEN = O_BINARY | O_NOINHERIT;

void platform_begin(void) {
    for (int file = 0; file <= 2; file++) (void)_setmode(file, O_BINARY);
}

static file_identity identity_of(HANDLE handle) {
    BY_HANDLE_FILE_INFORMATION found;
    if (GetFileType(handle) != FILE_TYPE_DISK || !GetFileInformationByHandle(handle, &found)) return (file_identity){0};
    return (file_identity){.is_regular = (found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) == 0,
                           .device = found.dwVolumeSerialNumber,
                           .number = (uint64_t)found.nFileIndexHigh << 32 | found.nFileIndexLow};
}

file_identity platform_identify(const char *path, int file) {
    if (path == NULL) return identity_of((HANDLE)_get_osfhandle(file));
    const DWORD all = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    const HANDLE handle = CreateFileA(path, 0, all, NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (handle == INVALID_HANDLE_VALUE) return (file_identity){0};
    const file_identity identity = identity_of(handle);
    CloseHandle(handle);
    return identity;
}

bool platform_is_link(const char *path) {
    const DWORD attributes = GetFileAttributesA(path);
    return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
}

int platform_write_error(int file) {
    const int error = errno;
    const bool is_pipe = GetFileType((HANDLE)_get_osfhandle(file)) == FILE_TYPE_PIPE;
    return error == EINVAL && is_pipe ? EPIPE : error; // what else could be wrong with a pipe?
}

void platform_every_second(void (*tick)(void)) {
    (void)tick;
}

uint32_t platform_cores(void) {
    SYSTEM_INFO system;
    GetSystemInfo(&system);
    return (uint32_t)system.dwNumberOfProcessors;
}

#else

#include <signal.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

const int PLATFORM_OPEN = O_CLOEXEC;

// Otherwise the next file opened would take the number of a closed stream, and messages would be written into it.
static void hold_standard_streams(void) {
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++) {
        if (fcntl(file, F_GETFD) < 0) open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
}

void platform_begin(void) {
    hold_standard_streams();
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

file_identity platform_identify(const char *path, int file) {
    struct stat status;
    if ((path != NULL ? stat(path, &status) : fstat(file, &status)) != 0) return (file_identity){0};
    return (file_identity){
        .is_regular = S_ISREG(status.st_mode), .device = (uint64_t)status.st_dev, .number = (uint64_t)status.st_ino};
}

bool platform_is_link(const char *path) {
    struct stat status;
    return lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
}

int platform_write_error(int file) {
    (void)file;
    return errno;
}

static void (*volatile tick_of_second)(void);

static void on_alarm(int signal_number) {
    (void)signal_number;
    const int error = errno;
    tick_of_second();
    alarm(1);
    errno = error;
}

void platform_every_second(void (*tick)(void)) {
    if (tick == NULL) {
        alarm(0);
        return;
    }
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    tick_of_second = tick;
    if (sigaction(SIGALRM, &action, NULL) == 0) alarm(1);
}

uint32_t platform_cores(void) {
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : (uint32_t)cores;
}

#endif
