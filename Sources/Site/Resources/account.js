// Signs out: asks first if changes wait to be sent, and removes what the apps have stored in this browser.

import { storedKeys, withStorage } from "./storage.js";
import { signOutAnyway, waitingChanges } from "./words.js";

/** What the storage keys of changes begin with that wait to be sent. */
const queues = ["meanwhile.art.outbox/", "meanwhile.coffee.outbox/", "meanwhile.library.waiting/"];

const form = document.getElementById("sign-out");
let hasAsked = false;

/** Says how many changes would be lost. */
function ask(count) {
    const warning = document.createElement("p");
    warning.classList.add("alert", "bad");
    warning.setAttribute("role", "alert");
    warning.textContent = waitingChanges({ count });
    form?.before(warning);
    const button = form?.querySelector("button");
    if (button) button.textContent = signOutAnyway;
    hasAsked = true;
}

/** Removes everything: the response's header `Clear-Site-Data` does so only over HTTPS and on this computer. */
function clear() {
    withStorage(() => localStorage.clear());
    withStorage(() => sessionStorage.clear());
    if ("caches" in globalThis) void caches.keys().then((names) => Promise.all(names.map((name) => caches.delete(name))));
}

form?.addEventListener("submit", (event) => {
    const count = queues.flatMap((queue) => storedKeys(queue)).length;
    if (count > 0 && !hasAsked) {
        event.preventDefault();
        ask(count);
    } else {
        clear();
    }
});
