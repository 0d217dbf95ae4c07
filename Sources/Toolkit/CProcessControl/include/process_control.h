// What the C library's Swift module leaves out of process control.
#pragma once

/// Makes this process the parent of processes that its descendants leave behind, so that it can reap them.
/// Returns 0, or -1 where the system has no such thing.
int meanwhile_adopt_orphans(void);

/// Makes the allocator give blocks of a megabyte or more back to the system as soon as they are freed.
///
/// Otherwise glibc comes to keep blocks of up to 32 MB for each thread; see mallopt(3).
void meanwhile_return_freed_memory(void);

/// Sends bytes over a local socket, and with the first of them a file descriptor; -1 for none.
/// Returns how many bytes were sent, or -1 with `errno`; a peer that is gone is no signal.
long meanwhile_send(int socket, const void *bytes, unsigned long count, int descriptor);

/// Receives bytes over a local socket, and the file descriptor that came with them, closed in programs that this process
/// starts; -1 for none. Returns how many bytes came, 0 at the end, or -1 with `errno`.
long meanwhile_receive(int socket, void *bytes, unsigned long count, int *descriptor);
