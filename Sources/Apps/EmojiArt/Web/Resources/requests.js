// Requests that aren't about a board: palettes, the emoji search, imports, restoring.

const acceptedTypes = { Accept: "application/json, application/problem+json" };

/** Sends a request. Returns the JSON of the response, or throws an Error with a message for the user. */
export async function request(address, options = {}) {
    let response;
    try {
        response = await fetch(address, { ...options, headers: { ...acceptedTypes, ...options.headers } });
    } catch {
        throw new Error("The server didn't respond. Check that it is running, then try again.");
    }
    const answer = await response.json().catch(() => null);
    if (response.ok) return answer;
    throw new Error(answer?.detail ?? `The server responded with status ${response.status}. Try again.`);
}

/** Sends fields as a form does. Returns and throws as `request` does. */
export function post(address, fields = {}) {
    return request(address, { method: "POST", body: new URLSearchParams(fields) });
}
