// Requests that aren't about a board: palettes, the emoji search, imports, restoring.

import { failedWithStatus, noResponse } from "./words.js";

const acceptedTypes = { Accept: "application/json, application/problem+json" };

/** Sends a request. Returns the JSON of the response, or throws an Error with a message for the user. */
export async function request(address, options = {}) {
    let response;
    try {
        response = await fetch(address, { ...options, headers: { ...acceptedTypes, ...options.headers } });
    } catch {
        throw new Error(noResponse);
    }
    const answer = await response.json().catch(() => null);
    if (response.ok) return answer;
    throw new Error(answer?.detail ?? failedWithStatus({ status: response.status }));
}

/** Sends fields as a form does. Returns and throws as `request` does. */
export function post(address, fields = {}) {
    return request(address, { method: "POST", body: new URLSearchParams(fields) });
}
