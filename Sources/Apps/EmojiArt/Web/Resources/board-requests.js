// What a board's page asks of the server besides sending operations. Whatever does not work throws an Error with words
// for a person.

const wanted = { Accept: "application/json, application/problem+json" };

/** That the board is not there, or no longer. */
export class GoneError extends Error {}

/** That nobody answered, or had no time: asked again, it may be done. */
class TemporaryError extends Error {
    isTemporary = true;
}

/** The answer to a question. */
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

    /** What happened since a revision: {revision, entries}, or the board as a whole, {revision, name, art, epoch}. */
    async entries({ revision, epoch }) {
        const address = this.address(`entries?${new URLSearchParams({ since: revision, epoch })}`);
        return (await ask(address, { cache: "no-store" })).json();
    }

    /** The board as it is. */
    async state() {
        return (await ask(this.address("state"), { cache: "no-store" })).json();
    }

    /** Keeps a picture: {picture, width, height}. */
    async keepPicture(blob) {
        const headers = { "Content-Type": blob.type || "application/octet-stream" };
        return (await ask(this.address("pictures"), { method: "POST", body: blob, headers })).json();
    }

    async retryBackground() {
        await ask(this.address("background/retry"), { method: "POST" });
    }

    /** Gives the board another name: {name}, as it is kept. */
    async rename(name) {
        const body = new URLSearchParams({ name });
        return (await ask(this.address("rename"), { method: "POST", body })).json();
    }
}
