// The requests of a board's page, except for sending operations. A request that fails throws an Error whose message is
// shown to the person.

import { failedWithStatus, noResponse } from "./words.js";

const acceptedTypes = { Accept: "application/json, application/problem+json" };

/** The board doesn't exist, or was deleted. */
export class GoneError extends Error {}

/** The server is unreachable or can't answer now: a retry may succeed. */
class TemporaryError extends Error {
    isTemporary = true;
}

/** Sends a request. Returns the response if it succeeded. */
export async function send(address, options = {}) {
    let response;
    try {
        response = await fetch(address, { ...options, headers: { ...acceptedTypes, ...options.headers } });
    } catch {
        throw new TemporaryError(noResponse);
    }
    if (response.ok) return response;
    const isJSON = response.headers.get("Content-Type")?.includes("json");
    const problem = isJSON ? await response.json().catch(() => null) : null;
    const message = problem?.detail ?? failedWithStatus({ status: response.status });
    if (problem && (response.status === 404 || response.status === 410)) throw new GoneError(message);
    throw new (response.status >= 500 && response.status !== 507 ? TemporaryError : Error)(message);
}

export class BoardRequests {
    #base;

    constructor(id) {
        this.#base = `/art/boards/${id}`;
    }

    address(rest) {
        return `${this.#base}/${rest}`;
    }

    /** The address of the event stream that continues from a revision. */
    events({ revision, epoch }) {
        return this.address(`events?${new URLSearchParams({ since: revision, epoch })}`);
    }

    /** The entries since a revision: {revision, entries}; or the whole board: {revision, name, art, epoch}. */
    async entries({ revision, epoch }) {
        const address = this.address(`entries?${new URLSearchParams({ since: revision, epoch })}`);
        return (await send(address, { cache: "no-store" })).json();
    }

    async state() {
        return (await send(this.address("state"), { cache: "no-store" })).json();
    }

    /** Uploads a picture. Returns {picture, width, height}. */
    async uploadPicture(blob) {
        const headers = { "Content-Type": blob.type || "application/octet-stream" };
        return (await send(this.address("pictures"), { method: "POST", body: blob, headers })).json();
    }

    async retryBackground() {
        await send(this.address("background/retry"), { method: "POST" });
    }

    /** Renames the board. Returns {name}, as the server stored it. */
    async rename(name) {
        const body = new URLSearchParams({ name });
        return (await send(this.address("rename"), { method: "POST", body })).json();
    }
}
