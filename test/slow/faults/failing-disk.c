/* Preloaded into a process: makes calls on chosen files fail, while a control file says so. The control file holds the
   name of a call and the end of a path, such as "pwrite svc.db-wal". */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int fails(const char *call, int fd) {
  static const char *control;
  char wanted[256] = "", name[32], suffix[200], link[64], path[4096];
  if (!control && !(control = getenv("FAILING_DISK_CONTROL"))) return 0;
  int file = open(control, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t size = read(file, wanted, sizeof wanted - 1);
  close(file);
  if (size <= 0 || sscanf(wanted, "%31s %199s", name, suffix) != 2 || strcmp(name, call)) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < (ssize_t)strlen(suffix)) return 0;
  path[length] = 0;
  return !strcmp(path + length - strlen(suffix), suffix);
}

#define REAL(name, result, ...) \
  static result (*real)(__VA_ARGS__); \
  if (!real) real = (result (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
  REAL("pwrite", ssize_t, int, const void *, size_t, off_t);
  if (fails("pwrite", fd)) return errno = EIO, -1;
  return real(fd, data, size, at);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
  REAL("pwrite64", ssize_t, int, const void *, size_t, off64_t);
  if (fails("pwrite", fd)) return errno = EIO, -1;
  return real(fd, data, size, at);
}

ssize_t write(int fd, const void *data, size_t size) {
  REAL("write", ssize_t, int, const void *, size_t);
  if (fails("pwrite", fd)) return errno = EIO, -1;
  return real(fd, data, size);
}

int fsync(int fd) {
  REAL("fsync", int, int);
  if (fails("fsync", fd)) return errno = EIO, -1;
  return real(fd);
}

int fdatasync(int fd) {
  REAL("fdatasync", int, int);
  if (fails("fsync", fd)) return errno = EIO, -1;
  return real(fd);
}
