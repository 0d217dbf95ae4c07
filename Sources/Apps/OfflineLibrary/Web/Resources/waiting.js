// The addresses that were saved without a connection. They wait in this browser, and are sent when the server answers.
// Each has an identifier, by which the server saves it once, even if an answer was lost and it's sent again.

import { storedKeys, withStorage } from "../site/storage.js";

const prefix = "meanwhile.library.waiting/";
/** Milliseconds after which a request counts as unanswered. */
const timeout = 20_000;

/** @typedef {{id: string, address: string, time: number, problem?: string}} WaitingAddress */

/** @returns {WaitingAddress[]} The oldest first. */
export function waitingAddresses() {
    const all = storedKeys(prefix).flatMap((key) => {
        const entry = withStorage(() => JSON.parse(localStorage.getItem(key)));
        return typeof entry?.id === "string" && typeof entry?.address === "string" ? [entry] : [];
    });
    return all.sort((one, other) => one.time - other.time);
}

/** Adds an address, and returns whether this browser has stored it. */
export function addWaiting(address) {
    const entry = { id: crypto.randomUUID(), address, time: Date.now() };
    return withStorage(() => {
        localStorage.setItem(prefix + entry.id, JSON.stringify(entry));
        return true;
    }) === true;
}

export function removeWaiting(id) {
    withStorage(() => localStorage.removeItem(prefix + id));
}

let isSending = false;

/** Sends all addresses, one after another, until the server doesn't answer. Returns how many it has accepted. */
export async function sendWaiting() {
    if (isSending) return 0;
    isSending = true;
    let count = 0;
    try {
        for (const entry of waitingAddresses()) {
            if (entry.problem) continue;
            const { status, detail } = await send(entry);
            if (status === null || status >= 500 || status === 408 || status === 429) break;
            if (status < 400) {
                removeWaiting(entry.id);
                count += 1;
            } else {
                // The server refuses the address, which the person must see and correct.
                withStorage(() => localStorage.setItem(prefix + entry.id, JSON.stringify({ ...entry, problem: detail || String(status) })));
            }
        }
    } finally {
        isSending = false;
    }
    return count;
}

async function send({ id, address }) {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), timeout);
    try {
        const response = await fetch("/library/pages/waiting", {
            method: "POST",
            headers: { Accept: "application/problem+json" },
            body: new URLSearchParams({ id, address }),
            signal: controller.signal,
        });
        const json = response.ok ? null : await response.json().catch(() => null);
        return { status: response.status, detail: json?.detail ?? null };
    } catch {
        return { status: null, detail: null };
    } finally {
        clearTimeout(timer);
    }
}
