// The requests of a board's page, except for sending operations. A request that fails throws an Error whose message is
// shown to the person.

const wanted = { Accept: "application/json, application/problem+json" };

/** The board doesn't exist, or was deleted. */
export class GoneError extends Error {}

/** The server is unreachable or can't answer now: a retry may succeed. */
class TemporaryError extends Error {
    isTemporary = true;
}

/** Sends a request. Returns the response if it succeeded. */
export async function ask(address, options = {}) {
    let response;
    try {
        response = await fetch(address, { ...options, headers: { ...wanted, ...options.headers } });
    } catch {
        throw new TemporaryError("The server did not answer. Check that it is running, then try again.");
    }
    if (response.ok) return response;
    const isJSON = response.headers.get("Content-Type")?.includes("json");
    const said = isJSON ? await response.json().catch(() => null) : null;
    const words = said?.detail ?? `The server answered with the status ${response.status}. Try again.`;
    if (said && (response.status === 404 || response.status === 410)) throw new GoneError(words);
    throw new (response.status >= 500 && response.status !== 507 ? TemporaryError : Error)(words);
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
        return (await ask(address, { cache: "no-store" })).json();
    }

    /** The board's current state. */
    async state() {
        return (await ask(this.address("state"), { cache: "no-store" })).json();
    }

    /** Uploads a picture: {picture, width, height}. */
    async keepPicture(blob) {
        const headers = { "Content-Type": blob.type || "application/octet-stream" };
        return (await ask(this.address("pictures"), { method: "POST", body: blob, headers })).json();
    }

    async retryBackground() {
        await ask(this.address("background/retry"), { method: "POST" });
    }

    /** Renames the board: {name}, as the server stored it. */
    async rename(name) {
        const body = new URLSearchParams({ name });
        return (await ask(this.address("rename"), { method: "POST", body })).json();
    }
}
