// The save status, as a word and as a sentence.

import {
    boardDeleted, changesNotSaved, changesOffline, connectionLost, notStored, oneChangeNotSaved, oneChangeOffline,
    savedLabel, savingLabel,
} from "./words.js";

export function statusOf({ isGone, waitingCount, failure, isLost, isStored }) {
    if (isGone) return ["failed", boardDeleted];
    if (waitingCount === 0) {
        return isLost ? ["offline", connectionLost] : ["saved", savedLabel];
    }
    const withStorageWarning = (text) => isStored ? text : `${text} ${notStored}`;
    if (!failure) return ["saving", withStorageWarning(savingLabel)];
    const values = { count: waitingCount, reason: failure.message };
    const hasOne = waitingCount === 1;
    if (failure.isStuck) return ["failed", withStorageWarning((hasOne ? oneChangeNotSaved : changesNotSaved)(values))];
    return ["offline", withStorageWarning((hasOne ? oneChangeOffline : changesOffline)(values))];
}
