// Sends the page's requests that don't concern the board.

const wanted = { Accept: "application/json, application/problem+json" };

/** Sends a request. Returns the JSON of the response, or throws an Error with a message for the user. */
export async function request(address, options = {}) {
    let response;
    try {
        response = await fetch(address, { ...options, headers: { ...wanted, ...options.headers } });
    } catch {
        throw new Error("The server did not answer. Check that it is running, then try again.");
    }
    const answer = await response.json().catch(() => null);
    if (response.ok) return answer;
    throw new Error(answer?.detail ?? `The server answered with the status ${response.status}. Try again.`);
}

/** Sends fields as a form does. Returns and throws as `request` does. */
export function post(address, fields = {}) {
    return request(address, { method: "POST", body: new URLSearchParams(fields) });
}
