// Carries out what the model's outbox of drinks decides: stores its changes in the browser, sends them, and starts its
// timer.

import { storedKeys } from "../site/storage.js";

const prefix = "meanwhile.coffee.outbox/";
/** Milliseconds after which a request counts as unanswered. */
const timeout = 30_000;

/** Whether changes wait in this browser. */
export function hasWaitingDrinks() {
    return storedKeys(prefix).length > 0;
}

/** The stored changes, in the order in which they were made. */
function storedEntries() {
    const entries = storedKeys(prefix).flatMap((key) => {
        try {
            return [JSON.parse(localStorage.getItem(key))];
        } catch {
            // It was cut off, and can't be sent.
            return [];
        }
    });
    return entries.sort((one, other) => (one?.version ?? 0) - (other?.version ?? 0));
}

function storeEntry(id, entry) {
    try {
        localStorage.setItem(prefix + id, JSON.stringify(entry));
        return true;
    } catch {
        // Storage is full or forbidden: the change is sent, but doesn't survive the tab.
        return false;
    }
}

export class WaitingDrinks {
    #model;
    #onEffects;
    #timer;

    /**
     * - model: The functions of the model's WebAssembly module.
     * - onEffects: Called with the effects of each call, after they were carried out.
     */
    constructor(model, onEffects) {
        this.#model = model;
        this.#onEffects = onEffects;
    }

    /** Takes over the changes that are stored in the browser, and sends them. */
    open() {
        this.call("restore", storedEntries());
        window.addEventListener("online", () => this.call("retry"));
    }

    /** Calls a function of the model, carries out its effects, and returns its value. */
    call(name, ...values) {
        const { value, effects } = this.#model[name](...values);
        for (const { id, version, entry } of effects.storing ?? []) {
            if (entry) this.call("stored", id, version, storeEntry(id, entry));
            else localStorage.removeItem(prefix + id);
        }
        if (effects.timer) this.#startTimer(effects.timer[0]);
        if (effects.request) this.#send(effects.request);
        this.#onEffects(effects);
        return value;
    }

    /** Waits some milliseconds; null ends the wait. */
    #startTimer(milliseconds) {
        clearTimeout(this.#timer);
        if (milliseconds !== null) this.#timer = setTimeout(() => this.call("timerEnded"), milliseconds);
    }

    async #send({ number, body }) {
        const { status, revision, detail, after } = await answer(body);
        this.call("answered", number, status, revision, detail, after);
    }
}

/** Sends a change, and returns the server's answer; the status is null without one. */
async function answer(body) {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), timeout);
    try {
        const response = await fetch("/coffee/offline", {
            method: "POST",
            headers: { Accept: "application/problem+json" },
            body: new URLSearchParams({ change: JSON.stringify(body) }),
            signal: controller.signal,
        });
        const json = await response.json().catch(() => null);
        const after = Number(response.headers.get("Retry-After"));
        return {
            status: response.status,
            revision: json?.revision ?? null,
            detail: json?.detail ?? null,
            after: Number.isFinite(after) ? after : 0,
        };
    } catch {
        return { status: null, revision: null, detail: null, after: 0 };
    } finally {
        clearTimeout(timer);
    }
}
