// What the C library's Swift module leaves out of process control.
#pragma once

/// Makes this process the parent of processes that its descendants leave behind, so that it can reap them.
/// Returns 0, or -1 where the system has no such thing.
int meanwhile_adopt_orphans(void);
