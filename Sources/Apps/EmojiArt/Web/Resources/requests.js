// Requests to the server, except for sending operations. A request that fails throws an Error with a message for the
// person. `isTemporary` tells whether a retry may succeed; `isGone`, whether what was requested was deleted.

import { failedWithStatus, noResponse } from "./words.js";

const throwNoResponse = () => {
    throw Object.assign(new Error(noResponse), { isTemporary: true });
};

/** Sends a request. Returns the response if it succeeded. */
export async function send(address, options = {}) {
    const headers = { Accept: "application/json, application/problem+json", ...options.headers };
    const response = await fetch(address, { ...options, headers }).catch(throwNoResponse);
    if (response.ok) return response;
    const isJSON = response.headers.get("Content-Type")?.includes("json");
    const problem = isJSON ? await response.json().catch(() => null) : null;
    const { status } = response;
    throw Object.assign(new Error(problem?.detail ?? failedWithStatus({ status })), {
        isTemporary: status >= 500 && status !== 507,
        isGone: problem !== null && (status === 404 || status === 410),
    });
}

/** Sends a request. Returns the JSON of the response; null if the response has no content. */
export async function request(address, options = {}) {
    const response = await send(address, options);
    return response.status === 204 ? null : await response.json().catch(throwNoResponse);
}

/** Sends fields as a form does. Returns and throws as `request` does. */
export function post(address, fields = {}) {
    return request(address, { method: "POST", body: new URLSearchParams(fields) });
}
