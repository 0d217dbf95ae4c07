// The save status, as a word and as a sentence.

export function statusOf({ isGone, waitingCount, failure, isLost, isStored }) {
    if (isGone) return ["failed", "This board was deleted. Changes are no longer saved."];
    if (waitingCount === 0) {
        return isLost ? ["offline", "Connection lost. Reconnecting… Everything is saved."] : ["saved", "Saved"];
    }
    const risk = isStored ? "" : " This browser can't store the changes: if you close the tab, they may be lost.";
    if (!failure) return ["saving", isStored ? "Saving…" : `Saving…${risk}`];
    const changes = waitingCount === 1 ? "One change is waiting" : `${waitingCount} changes are waiting`;
    if (failure.isStuck) return ["failed", `Not saved. ${failure.message} ${changes} to be sent.${risk}`];
    return ["offline", `Offline: ${changes[0].toLowerCase()}${changes.slice(1)} to be sent. ${failure.message}${risk}`];
}
