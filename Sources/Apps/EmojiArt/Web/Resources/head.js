// The row above the board: its name, which can be edited in place, and whether everything is saved.

const words = { saved: "Saved", saving: "Saving…", offline: "Offline", failed: "Not saved" };
const looks = { saved: "good", saving: "", offline: "busy", failed: "bad" };

export class BoardHead {
    #board;
    /** @type {HTMLInputElement} */
    #field = document.getElementById("board-name");
    #badge = document.getElementById("saving");
    #detail = document.getElementById("saving-detail");

    constructor(board) {
        this.#board = board;
        const { sync } = board;
        sync.addEventListener("status", () => this.#showStatus());
        sync.addEventListener("name", () => this.#showName());
        this.#field.form.addEventListener("submit", (event) => {
            event.preventDefault();
            board.stage.focus();
        });
        this.#field.addEventListener("change", () => this.#keep());
        this.#field.addEventListener("keydown", (event) => {
            if (event.key !== "Escape") return;
            event.preventDefault();
            this.#field.value = sync.name;
            board.stage.focus();
        });
        this.#showStatus();
        this.#showName();
    }

    /** Moves the focus to the name for editing. */
    rename() {
        this.#field.focus();
        this.#field.select();
    }

    async #keep() {
        const { sync, toasts } = this.#board;
        const name = this.#field.value.trim();
        if (!name || name === sync.name) {
            this.#field.value = sync.name;
            return;
        }
        try {
            await sync.rename(name);
        } catch (error) {
            this.#field.value = sync.name;
            toasts.alert(`The board was not renamed. ${error.message}`);
        }
    }

    #showName() {
        const { name } = this.#board.sync;
        if (document.activeElement !== this.#field) this.#field.value = name;
        document.getElementById("board-title").textContent = name;
        this.#board.stage.setAttribute("aria-label", name);
        document.title = [name, ...document.title.split(" · ").slice(-2)].join(" · ");
    }

    #showStatus() {
        const { status, statusText } = this.#board.sync;
        this.#badge.className = `badge saving ${looks[status]}`;
        this.#badge.textContent = words[status];
        this.#badge.title = statusText;
        // A problem stays visible as text; "Saved" needs none.
        const isWrong = status === "offline" || status === "failed";
        this.#detail.textContent = isWrong ? statusText : "";
        this.#detail.className = `saving-detail ${looks[status]}`;
    }
}
