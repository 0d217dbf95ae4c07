// Those who look at the board: shows their names and cursors, and reports this tab's.

import { make } from "./elements.js";
import { guestNamed, onePersonHere, peopleHere, you } from "./words.js";
import { withStorage } from "../site/storage.js";

/** The shortest time between two reports, in milliseconds. The server allows 20 a second. */
const pause = 120;
/** How many people the row above the board shows. */
const maximumShown = 4;
const colours = 8;
/** The storage key of the name that a guest has chosen. */
const nameKey = "meanwhile.art.guest-name";

/** @typedef {{ tab: number, person: number, name: string, isGuest: boolean, x: ?number, y: ?number }} Entry */

export class Presence {
    #board;
    #list = document.getElementById("people");
    #count = document.getElementById("people-count");
    #cursors = document.getElementById("cursors");
    /** The button with which a guest chooses a name; null for people with an account. */
    #nameButton = document.getElementById("guest-name");
    /** @type {Entry[]} */
    #entries = [];
    /** This tab's number, by which it recognises its own entry; null until the server has told it. */
    #own = null;
    /** The elements of cursors, by the numbers of their tabs. @type {Map<number, HTMLElement>} */
    #shown = new Map();
    /** The position of the pointer on the board, [x, y]; null outside it. */
    #position = null;
    #timer = null;
    #hasNews = false;

    constructor(board) {
        this.#board = board;
        const { stage, sync } = board;
        sync.addEventListener("presence", ({ detail }) => this.#receive(detail));
        sync.addEventListener("seat", ({ detail }) => this.#sit(detail.tab));
        sync.addEventListener("gone", () => this.#receive([]));
        stage.addEventListener("pointermove", (event) => this.#move(event));
        stage.addEventListener("pointerdown", (event) => this.#move(event));
        stage.addEventListener("pointerleave", () => this.#report(null));
        this.#listenForName();
        if (sync.presence) this.#receive(sync.presence);
        if (sync.seat) this.#sit(sync.seat.tab);
    }

    // --- Others.

    #receive(entries) {
        this.#entries = entries;
        this.#showPeople();
        this.place(false);
    }

    #sit(tab) {
        this.#own = tab;
        this.#report(this.#position, true);
        this.#receive(this.#entries);
    }

    /** The person of this tab; 0 if it isn't known. */
    get #person() {
        return this.#entries.find(({ tab }) => tab === this.#own)?.person ?? 0;
    }

    #showPeople() {
        const own = this.#person;
        const people = new Map(this.#entries.map((entry) => [entry.person, entry]));
        const others = Array.from(people.values()).filter(({ person }) => person !== own);
        const count = others.length + 1;
        this.#list.hidden = others.length === 0;
        const names = others.map(nameOf);
        const shown = others.slice(0, maximumShown).map((entry) => make("li", {
            class: colourOf(entry), title: nameOf(entry),
        }, initialOf(entry.name)));
        const left = others.length - shown.length;
        if (left > 0) shown.push(make("li", { class: "more", title: names.slice(-left).join(", ") }, `+${left}`));
        this.#list.replaceChildren(...shown);
        const text = others.length ? peopleHere({ count, names: [...names, you].join(", ") }) : onePersonHere;
        // A screen reader says it whenever it changes.
        if (this.#count.textContent !== text) this.#count.textContent = text;
        const name = people.get(own)?.name;
        if (this.#nameButton && name) this.#nameButton.textContent = name;
    }

    /** Places the cursors on the stage. `isViewMoving` tells whether the view has moved, and not the cursors. */
    place(isViewMoving) {
        const { zoom, origin } = this.#board.camera;
        this.#cursors.classList.toggle("is-moving", isViewMoving);
        const left = new Set(this.#shown.keys());
        for (const entry of this.#entries) {
            const { tab, x, y } = entry;
            if (tab === this.#own || typeof x !== "number" || typeof y !== "number") continue;
            left.delete(tab);
            let element = this.#shown.get(tab);
            if (!element) {
                element = make("div", { class: "cursor" }, make("i", {}), make("span", {}));
                this.#shown.set(tab, element);
                this.#cursors.append(element);
            }
            const [arrow, label] = Array.from(element.children);
            arrow.className = label.className = colourOf(entry);
            label.textContent = entry.name;
            element.style.transform = `translate(${origin.x + x * zoom}px, ${origin.y - y * zoom}px)`;
        }
        for (const tab of left) {
            this.#shown.get(tab)?.remove();
            this.#shown.delete(tab);
        }
    }

    // --- This tab.

    #move(event) {
        const [x, y] = this.#board.gestures.positionOf(event);
        const { zoom, origin } = this.#board.camera;
        const round = (number) => Math.round(number * 10) / 10;
        this.#report([round((x - origin.x) / zoom), round((origin.y - y) / zoom)]);
    }

    /** Reports the position now or after a pause. A tab that is alone on the board sends nothing, unless `isNeeded`. */
    #report(position, isNeeded = false) {
        this.#position = position;
        if (this.#own === null || (!isNeeded && this.#entries.length < 2)) return;
        this.#hasNews = true;
        if (this.#timer === null) this.#send();
    }

    #send() {
        this.#hasNews = false;
        this.#timer = setTimeout(() => {
            this.#timer = null;
            if (this.#hasNews) this.#send();
        }, pause);
        const [x, y] = this.#position ?? [null, null];
        const name = this.#nameButton ? storedName() : undefined;
        const body = JSON.stringify({ tab: this.#board.sync.tab, x, y, name });
        // A failure isn't worth a message: the next report follows.
        fetch(`${this.#board.address}/presence`, {
            method: "POST", body, headers: { "Content-Type": "application/json" }, redirect: "error",
        }).catch(() => {});
    }

    #listenForName() {
        if (!this.#nameButton) return;
        /** @type {HTMLDialogElement} */
        const dialog = document.getElementById("guest-dialog");
        /** @type {HTMLInputElement} */
        const field = document.getElementById("guest-field");
        this.#nameButton.addEventListener("click", () => {
            field.value = storedName() ?? "";
            dialog.showModal();
        });
        dialog.querySelector("form").addEventListener("submit", () => {
            withStorage(() => localStorage.setItem(nameKey, field.value.trim()));
            this.#report(this.#position, true);
        });
    }
}

function storedName() {
    return withStorage(() => localStorage.getItem(nameKey)) || undefined;
}

function nameOf({ name, isGuest }) {
    return isGuest ? guestNamed({ name }) : name;
}

function colourOf({ person }) {
    return `colour-${person % colours}`;
}

function initialOf(name) {
    const [first = "?"] = name;
    return first.toUpperCase();
}
