// Requests of the page's parts that don't concern the board.

const wanted = { Accept: "application/json, application/problem+json" };

/** Sends a request. Returns the JSON of the response, or throws an Error with a message for the person. */
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

/** Submits form fields. */
export function post(address, fields = {}) {
    return request(address, { method: "POST", body: new URLSearchParams(fields) });
}
