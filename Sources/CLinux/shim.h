// What Glibc's Swift module leaves out. Never define _GNU_SOURCE here: fd_set would differ from Glibc's.
#pragma once
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <fcntl.h>

extern int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);
