// Process control that is missing in the Swift module of the C library.
#pragma once

/// Makes this process the parent of processes that its descendants orphan, so that it can reap them.
/// Returns 0, or -1 if the system doesn't support this.
int meanwhile_adopt_orphans(void);

/// Makes the allocator return blocks of a megabyte or more to the system as soon as they are freed.
///
/// Otherwise, glibc raises that threshold to up to 32 MB, and retains such blocks for each thread; see mallopt(3).
void meanwhile_return_freed_memory(void);

/// Sends bytes over a local socket, and a file descriptor with the first of them; -1 for none.
/// Returns the number of bytes sent, or -1 with `errno`. A closed peer raises no signal.
long meanwhile_send(int socket, const void *bytes, unsigned long count, int descriptor);

/// Receives bytes over a local socket, and the file descriptor sent with them, or -1 if there is none. The descriptor
/// is closed in programs that this process starts. Returns the number of bytes, 0 at the end, or -1 with `errno`.
long meanwhile_receive(int socket, void *bytes, unsigned long count, int *descriptor);

/// Tries to create a user namespace in a child process, after changing to an account; -1 keeps this process's own.
/// Returns 0 if it works, or the system's error number; ENOSYS on other systems than Linux.
int meanwhile_try_user_namespace(long user, long group);
