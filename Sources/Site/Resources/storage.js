// The browser's storage, which may be forbidden or full, and whose values may be invalid.

/**
 * Reads or writes storage.
 *
 * @template Value
 * @param {() => Value} body
 * @returns {Value | null} What `body` returns; null if it fails.
 */
export function withStorage(body) {
    try {
        return body();
    } catch {
        return null;
    }
}

/** The keys of local storage that begin with a text; none if storage is forbidden. */
export function storedKeys(start) {
    return withStorage(() => Object.keys(localStorage).filter((key) => key.startsWith(start))) ?? [];
}
