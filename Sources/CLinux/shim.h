// What Glibc's Swift module leaves out. Never define _GNU_SOURCE here: fd_set would differ from Glibc's.
#pragma once
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <fcntl.h>

// GNU-only functions, by their own prototypes.
extern int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);

// O_PATH, which fcntl.h hides without _GNU_SOURCE (asm-generic/fcntl.h).
enum { clinux_o_path = 010000000 };
extern int pthread_setname_np(unsigned long thread, const char *name);
