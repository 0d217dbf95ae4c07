// The save status, as a word and as a sentence.

export function statusOf({ isGone, waiting, failure, isLost, isKept }) {
    if (isGone) return ["failed", "This board was deleted. Changes are no longer saved."];
    if (waiting === 0) {
        return isLost ? ["offline", "Connection lost. Reconnecting… Everything is saved."] : ["saved", "Saved"];
    }
    const risk = isKept ? "" : " This browser can't store the changes: if you close the tab, they may be lost.";
    if (!failure) return ["saving", isKept ? "Saving…" : `Saving…${risk}`];
    const changes = waiting === 1 ? "One change is waiting" : `${waiting} changes are waiting`;
    if (failure.isStuck) return ["failed", `Not saved. ${failure.words} ${changes} to be sent.${risk}`];
    return ["offline", `Offline: ${changes[0].toLowerCase()}${changes.slice(1)} to be sent. ${failure.words}${risk}`];
}
