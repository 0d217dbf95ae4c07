// Enhances the palettes' page: emoji are added as they are typed, the search runs as text is typed, and palettes can be
// dragged. Changes are sent by submitting the page's forms.

// --- The editor: adding and removing emoji.

const emojiPattern = /\p{Extended_Pictographic}|\p{Regional_Indicator}{2}|[0-9#*]\uFE0F?\u20E3/u;

/** The text that was sent last, if it has emoji. */
let sent = "";

/** The place of the focused emoji that is removed; -1 if it isn't focused. */
let place = -1;

/** Sends the field's text, unless a response is awaited. */
function addTyped(field) {
    if (field.form.ariaBusy !== "true" && emojiPattern.test(field.value)) field.form.requestSubmit();
}

// Clear the field as soon as its text is read for sending, so that more can be typed before the response arrives.
document.addEventListener("formdata", (event) => {
    const form = /** @type {HTMLFormElement} */ (event.target);
    if (form.id !== "add") return;
    const field = form.elements.emojis;
    sent = emojiPattern.test(field.value) ? field.value : "";
    if (sent) field.value = "";
});

document.addEventListener("live:answered", ({ detail: { form, isRefused } }) => {
    if (form.id === "add") {
        const field = form.elements.emojis;
        // Restore the refused text, before the text that was typed since.
        if (isRefused) field.value = sent + field.value;
        else addTyped(field);
    } else if (form.id === "remove" && place >= 0) {
        // Move the focus to the emoji that takes the removed one's place, so that several can be removed with the
        // keyboard.
        const buttons = document.querySelectorAll("#remove button");
        (buttons[Math.min(place, buttons.length - 1)] ?? document.getElementById("palette-add"))?.focus();
    }
});

for (const type of ["input", "compositionend"]) {
    document.addEventListener(type, (/** @type {InputEvent} */ event) => {
        const field = /** @type {HTMLInputElement} */ (event.target);
        if (field.id === "palette-search" || field.id === "palette-tone") search(field.form);
        if (field.id !== "palette-add") return;
        // The message about the previous text doesn't apply to the new one.
        field.form.querySelector("[role=alert]").hidden = true;
        if (!event.isComposing) addTyped(field);
    });
}

// The field is focused on load, so something may have been typed before this script ran.
const addField = document.getElementById("palette-add");
if (addField) addTyped(addField);

// The name of a new palette is selected, so that typing replaces it.
/** @type {HTMLInputElement | null} */
const newName = document.querySelector("#palette-name[data-select]");
newName?.focus();
newName?.select();

document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.id === "search") {
        event.preventDefault();
        search(form);
    } else if (form.id === "remove") {
        const isFocused = document.activeElement === event.submitter;
        place = isFocused ? Array.from(form.querySelectorAll("button")).indexOf(event.submitter) : -1;
    }
});

// --- The editor: searching. The search text, the group and the skin tone are part of the page's address, so that later
// updates of the page show them too.

document.addEventListener("click", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    /** @type {HTMLAnchorElement | null} */
    const link = target.closest(".emoji-groups a");
    // Leave a click that opens a new tab or window to the browser.
    if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    const form = document.forms.namedItem("search");
    form.elements.q.value = "";
    form.elements.group.value = new URL(link.href).searchParams.get("group") ?? "";
    search(form);
});

/** Makes the fields of the search form part of the page's address, and shows the results for them. */
function search(form) {
    // The form has the fields in the order of `PaletteQuery`: a form's response has the same address as the page.
    const fields = Array.from(form.querySelectorAll("[name]"), ({ name, value }) => [name, value]);
    const query = new URLSearchParams(fields.filter(([, value]) => value.trim() !== ""));
    history.replaceState(history.state, "", `${location.pathname}?${query}`);
    // The page's forms send this query back, and their response shows it. One that is sent before the results arrive
    // would restore the previous search.
    /** @type {NodeListOf<HTMLInputElement>} */
    const openFields = document.querySelectorAll("input[name=open]");
    for (const field of openFields) field.value = String(query);
    document.getElementById("palettes").dispatchEvent(new Event("live:outdated", { bubbles: true }));
}

// --- The lists: palettes are dragged to another place, or into another store.

let dragged = null;

/** Where the dragged palette would be dropped: {element, mark}, beside another one, or anywhere in another store. */
function targetOf({ target, clientY }) {
    const store = target.closest?.(".store");
    if (!dragged || !store) return null;
    if (store !== dragged.closest(".store")) return { element: store, mark: "is-target" };
    const row = target.closest(".palette");
    if (!row || row === dragged) return null;
    const { top, height } = row.getBoundingClientRect();
    return { element: row, mark: clientY > top + height / 2 ? "is-after" : "is-before" };
}

/** Submits a form of the dragged palette as if a button with this name and value were pressed. */
function submitDragged(action, name, value) {
    const form = dragged.querySelector(`form[action$='/${action}']`);
    const button = Object.assign(document.createElement("button"), { name, value, hidden: true });
    form.append(button);
    form.requestSubmit(button);
    button.remove();
}

document.addEventListener("dragstart", (event) => {
    const row = /** @type {HTMLElement} */ (event.target);
    if (!row.matches?.(".palette")) return;
    dragged = row;
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", row.querySelector(".palette-preview").textContent);
    row.classList.add("is-dragged");
});

/** Marks the target during a drag, and moves the palette at its end. */
function handleDrag(event) {
    const target = targetOf(event);
    for (const mark of ["is-before", "is-after", "is-target"]) {
        document.querySelector(`.${mark}`)?.classList.remove(mark);
    }
    if (!target) return;
    event.preventDefault();
    if (event.type === "dragover") {
        target.element.classList.add(target.mark);
    } else if (target.mark === "is-target") {
        submitDragged("to", "store", target.element.dataset.store);
    } else {
        const from = Number(dragged.dataset.index);
        const before = Number(target.element.dataset.index) + (target.mark === "is-after" ? 1 : 0);
        // The server removes the palette before it inserts it again, which shifts the palettes after it.
        const to = before > from ? before - 1 : before;
        if (to !== from) submitDragged("move", "to", to);
    }
}

for (const type of ["dragover", "drop"]) document.addEventListener(type, handleDrag);

document.addEventListener("dragend", (event) => {
    dragged?.classList.remove("is-dragged");
    dragged = null;
    handleDrag(event);
});
