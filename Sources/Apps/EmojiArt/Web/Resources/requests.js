// What the page's parts ask of the server, besides what happens on the board.

const wanted = { Accept: "application/json, application/problem+json" };

/** Asks for something; answers the JSON, or throws an Error with words for a person. */
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

/** Sends a form. */
export function post(address, fields = {}) {
    return request(address, { method: "POST", body: new URLSearchParams(fields) });
}
