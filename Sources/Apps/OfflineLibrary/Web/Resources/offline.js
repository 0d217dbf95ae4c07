// The page “On this device”: lists the pages that are kept here and those that aren't, and accepts addresses, also
// without a connection.

import {
    canKeep, isFull, isKeepable, isPDFOptional, keep, keepPDF, keepRules, keptPages, listedPages, prepareForOffline, remove,
    removePDF, setKeepRules, sizeText, sync, timeText,
} from "./kept.js";
import { addWaiting, removeWaiting, sendWaiting, waitingAddresses } from "./waiting.js";
import {
    addressLabel, addressNotStored, addressSent, addressWaits, addressesWait, connected, evictedPages, keepFavourites, keepPDFToo,
    keepPage, keepTag, keepTagged, keeping, keptAt, keptTitle, noAddressYet, noRoom, noTag, nothingKept, notConnected, notHere, onlySecure,
    openPage, otherPage, otherPages, pageNotKept, removeAddress, removePDFToo, removePage, saveAddress, spaceUsed, tagged, waitingTitle,
} from "./words.js";

/** Milliseconds between two attempts to reach the server. */
const pollInterval = 15_000;

/** The pages of the server; null if even a stored list is missing. */
let listed = null;
let isOnline = false;
/** What the last action did. */
let message = "";

/** An element with properties and children. */
function element(name, properties, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children.filter((child) => child !== null && child !== ""));
    return made;
}

/** Makes a button; its key finds the one that takes its place when the page is shown again. */
function button(key, text, label, onClick, className = "button quiet") {
    const made = element("button", { type: "button", className, textContent: text });
    made.dataset.key = key;
    if (label !== text) made.setAttribute("aria-label", label);
    made.addEventListener("click", onClick);
    return made;
}

function replace(id, ...children) {
    document.getElementById(id).replaceChildren(...children.filter((child) => child !== null));
}

function showState() {
    const text = [message, isOnline ? connected : notConnected, canKeep ? "" : onlySecure].filter((part) => part).join(" ");
    const state = document.getElementById("state");
    state.dataset.kind = isOnline ? "online" : "offline";
    // Only a change is announced.
    if (state.textContent !== text) state.textContent = text;
}

// --- Addresses.

function shownWaiting() {
    const entries = waitingAddresses();
    if (!entries.length) return null;
    const items = entries.map((entry) => element(
        "li", { className: "item kept-item" },
        element(
            "div", { className: "item-body" },
            element("p", { className: "item-address", textContent: entry.address }),
            element("p", { className: entry.problem ? "error" : "meta", textContent: entry.problem ?? addressWaits }),
        ),
        element("div", { className: "item-actions" }, button(`waiting/${entry.id}`, removeAddress, `${removeAddress} ${entry.address}`, () => {
            removeWaiting(entry.id);
            render();
        })),
    ));
    return element(
        "section", { className: "stack" }, element("h2", { textContent: entries.length === 1 ? waitingTitle : addressesWait({ count: entries.length }) }),
        element("ul", { className: "list" }, ...items),
    );
}

function addressForm() {
    const field = /** @type {HTMLInputElement} */ (element("input", {
        id: "waiting-address", type: "text", inputMode: "url", autocapitalize: "none", spellcheck: false,
        autocomplete: "url",
    }));
    const shared = new URLSearchParams(location.search);
    field.value = shared.get("url") || /https?:\/\/\S+/.exec(shared.get("text") ?? "")?.[0] || "";
    const form = element(
        "form", { className: "panel stack" },
        element(
            "div", { className: "field" }, element("label", { htmlFor: "waiting-address", textContent: addressLabel }),
            element("div", { className: "field-row" }, field, element("button", { className: "button primary", textContent: saveAddress })),
        ),
    );
    form.addEventListener("submit", async (event) => {
        event.preventDefault();
        const address = field.value.trim();
        if (!address) return report(noAddressYet);
        if (!addWaiting(address)) return report(addressNotStored);
        field.value = "";
        history.replaceState(null, "", location.pathname);
        message = "";
        await render();
        await sendAddresses();
    });
    return form;
}

async function sendAddresses() {
    if (!waitingAddresses().some(({ problem }) => !problem)) return;
    const count = await sendWaiting();
    if (count > 0) message = addressSent;
    await render();
}

// --- Pages.

function report(text) {
    message = text;
    render();
}

const openPath = ({ id, views, pdf }) => {
    const view = ["reader", "archive", "picture"].find((name) => views.includes(name)) ?? (pdf ? "pdf" : null);
    return view ? `/library/pages/${id}/${view}` : null;
};

function pageItem(page, kept) {
    const path = kept || isOnline ? openPath(page) : null;
    const title = path ? element("a", { href: path, textContent: page.name }) : page.name;
    const detail = kept ? keptAt({ time: timeText(kept.time), size: sizeText(kept.bytes) }) : notHere;
    const action = kept
        ? button(`keep/${page.id}`, removePage, `${removePage} ${page.name}`, async () => {
            await remove(page.id);
            report("");
        })
        : isOnline && isKeepable(page) && canKeep
            ? button(`keep/${page.id}`, keepPage, `${keepPage} ${page.name}`, () => keepOne(page)) : null;
    const pdf = kept && isPDFOptional(page) ? pdfButton(page, kept) : null;
    return element(
        "li", { className: "item kept-item" },
        element(
            "div", { className: "item-body" }, element("h3", { className: "item-title", dir: "auto" }, title),
            element("p", { className: "item-address", textContent: page.address }), element("p", { className: "meta", textContent: detail }),
        ),
        action ? element("div", { className: "item-actions" }, pdf, action) : null,
    );
}

/** The button that keeps the PDF of a kept page, or removes it; the button shows the PDF's size. */
function pdfButton(page, { hasPDF }) {
    const size = sizeText(page.pdf);
    if (hasPDF) {
        return button(`pdf/${page.id}`, removePDFToo({ size }), `${removePDFToo({ size })} ${page.name}`, async () => {
            await removePDF(page.id);
            report("");
        });
    }
    const label = `${keepPDFToo({ size })} ${page.name}`;
    return isOnline ? button(`pdf/${page.id}`, keepPDFToo({ size }), label, () => keepOne(page, keepPDF)) : null;
}

async function keepOne(page, /** @type {typeof keep} */ keepIt = keep) {
    report(keeping);
    try {
        await keepIt(page);
        report("");
    } catch (error) {
        report(isFull(error) ? noRoom : pageNotKept);
    }
}

/** The fields that keep all favourites, and all pages with a tag. */
function rulesForm() {
    if (!canKeep || !listed) return null;
    const rules = keepRules();
    const favourites = element("input", { type: "checkbox", checked: rules.favourites });
    favourites.addEventListener("change", () => changeRules({ ...keepRules(), favourites: favourites.checked }));
    const counts = new Map();
    for (const { tags } of listed) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
    const tags = element("select", { id: "keep-tag" }, element("option", { value: "", textContent: noTag }),
        ...Array.from(counts.keys()).filter((tag) => !rules.tags.includes(tag)).sort()
            .map((tag) => element("option", { value: tag, textContent: tag })));
    tags.addEventListener("change", () => changeRules({ ...keepRules(), tags: [...keepRules().tags, tags.value] }));
    favourites.dataset.key = "favourites";
    tags.dataset.key = "tag";
    const chips = rules.tags.map((tag) => button(`tag/${tag}`, tagged({ tag }), `${removePage} ${tagged({ tag })}`, () => {
        changeRules({ ...keepRules(), tags: keepRules().tags.filter((other) => other !== tag) });
    }, "button"));
    return element(
        "div", { className: "row" }, element("label", { className: "chip" }, favourites, element("span", { textContent: keepFavourites })),
        counts.size ? element("label", { htmlFor: "keep-tag", textContent: keepTag }) : null, counts.size ? tags : null,
        chips.length ? element("span", { textContent: keepTagged }) : null, ...chips,
    );
}

async function changeRules(rules) {
    setKeepRules(rules);
    report(keeping);
    await synchronise();
}

async function synchronise() {
    if (!isOnline || !listed) return render();
    const { evicted, isFull: isDiskFull } = await sync(listed);
    if (isDiskFull) message = noRoom;
    else if (evicted > 0) message = evictedPages({ count: evicted });
    else if (message === keeping) message = "";
    await render();
}

let rendering = 0;
/** What the page shows: it's only replaced if that changes, so that a reader keeps the focus and open lists. */
let shownState = "";
/** Whether the list of other pages is open; null if the reader hasn't chosen. */
let areOthersOpen = null;

async function render() {
    const number = ++rendering;
    const kept = await keptPages();
    const estimate = await navigator.storage?.estimate?.().catch(() => null);
    if (number !== rendering) return;
    const keptIDs = new Set(kept.map(({ page }) => page.id));
    const others = (listed ?? []).filter(({ id }) => !keptIDs.has(id));
    const total = kept.reduce((sum, { bytes }) => sum + bytes, 0);
    const newest = new Map((listed ?? []).map((page) => [page.id, page]));
    showState();
    const state = JSON.stringify([isOnline, listed, kept, waitingAddresses(), keepRules()]);
    if (state === shownState) return;
    shownState = state;
    const focused = /** @type {?HTMLElement} */ (document.activeElement)?.dataset.key;
    replace("waiting", shownWaiting() ?? "");
    replace(
        "kept", element("h2", { textContent: keptTitle }), rulesForm(),
        kept.length ? element("p", { className: "meta", textContent: spaceUsed({
            size: sizeText(total), all: sizeText(estimate?.quota ?? 0),
        }) }) : null,
        kept.length
            ? element("ul", { className: "list" }, ...kept.map((one) => pageItem(newest.get(one.page.id) ?? one.page, one)))
            : element("p", { textContent: nothingKept }),
    );
    const details = /** @type {HTMLDetailsElement} */ (element(
        "details", { open: areOthersOpen ?? !kept.length },
        element("summary", { textContent: others.length === 1 ? otherPage : otherPages({ count: others.length }) }),
        element("ul", { className: "list" }, ...others.slice(0, 200).map((page) => pageItem(page, null))),
    ));
    details.firstElementChild.addEventListener("click", () => { areOthersOpen = !details.open; });
    replace("others", others.length ? details : null);
    if (!focused) return;
    /** @type {NodeListOf<HTMLElement>} */
    const controls = document.querySelectorAll("#offline [data-key]");
    Array.from(controls).find(({ dataset }) => dataset.key === focused)?.focus();
}

async function refresh() {
    const answer = await listedPages();
    const wasOnline = isOnline;
    isOnline = Boolean(answer && !answer.isStored);
    if (answer) listed = answer.pages;
    if (isOnline) await sendAddresses();
    if (isOnline && !wasOnline) await synchronise();
    else await render();
}

document.getElementById("address-form").append(addressForm());
document.getElementById("open-list").textContent = openPage;
window.addEventListener("online", refresh);
window.addEventListener("offline", refresh);
setInterval(refresh, pollInterval);
prepareForOffline();
refresh();
