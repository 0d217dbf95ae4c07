#define _GNU_SOURCE
#include "process_control.h"

#ifdef __linux__
#include <sys/prctl.h>

int meanwhile_adopt_orphans(void) {
    return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}
#else
int meanwhile_adopt_orphans(void) {
    return -1;
}
#endif

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif
#ifndef MSG_CMSG_CLOEXEC
#define MSG_CMSG_CLOEXEC 0
#endif

// Space for a message with one descriptor, with the alignment of its header; see cmsg(3).
union descriptor_message {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr alignment;
};

long meanwhile_send(int socket, const void *bytes, unsigned long count, int descriptor) {
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    union descriptor_message control;
    if (descriptor >= 0) {
        memset(&control, 0, sizeof control);
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
    }
    ssize_t sent;
    do {
        sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent;
}

long meanwhile_receive(int socket, void *bytes, unsigned long count, int *descriptor) {
    struct iovec part = {.iov_base = bytes, .iov_len = count};
    union descriptor_message control;
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    *descriptor = -1;
    ssize_t received;
    do {
        received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    } while (received < 0 && errno == EINTR);
    if (received <= 0) return received;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        if (header->cmsg_len < CMSG_LEN(sizeof(int))) continue;
        if (*descriptor >= 0) close(*descriptor);
        memcpy(descriptor, CMSG_DATA(header), sizeof(int));
    }
    return received;
}

#ifdef __GLIBC__
#include <malloc.h>

void meanwhile_return_freed_memory(void) {
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
}
#else
void meanwhile_return_freed_memory(void) {}
#endif

#ifdef __linux__
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>

int meanwhile_try_user_namespace(long user, long group) {
    pid_t child = fork();
    if (child < 0) return errno;
    if (child == 0) {
        // Only calls that are safe in the child of a process with several threads.
        // The C library's setresuid would wait for threads that the child doesn't have.
        if (group >= 0 && syscall(SYS_setresgid, group, group, group) != 0) _exit(errno);
        if (user >= 0 && syscall(SYS_setresuid, user, user, user) != 0) _exit(errno);
        _exit(unshare(CLONE_NEWUSER) == 0 ? 0 : errno);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return errno;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}
#else
int meanwhile_try_user_namespace(long user, long group) {
    (void)user;
    (void)group;
    return ENOSYS;
}
#endif
