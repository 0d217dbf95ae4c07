// The board's background: shows progress and errors, and lets a person set another one.

import { addressIn, blobOf, inMegabytes, pictureBytes } from "./transfers.js";

const stepName = "Set Background";
/** A load that fails can't be told from a decoding that fails. */
const undecodable = "Couldn't show the background: this browser can't load or decode the picture. Retry, or choose another picture.";

export class BoardBackground {
    #board;
    /** @type {HTMLDialogElement} */
    #dialog = document.getElementById("background-dialog");
    /** @type {HTMLDialogElement} */
    #alert = document.getElementById("background-alert");
    #problem = document.getElementById("background-problem");
    #progress = document.getElementById("progress");
    /** Whether this page requested the picture: then it shows an alert on failure, and the whole board on success. */
    #isOurs = false;
    /** The server's state of the picture before this page requested another one. */
    #before = null;
    /** The server's state of the picture that was handled last. */
    #followed = null;
    /** Whether a picture is being uploaded. */
    #isSending = false;
    /** Counts choices: an upload that finishes after a later choice is ignored. */
    #chosen = 0;
    /** The picture whose upload failed temporarily, for another attempt. */
    #unsent = null;

    constructor(board) {
        this.#board = board;
        const { sync } = board;
        sync.addEventListener("picture", () => this.#follow());
        for (const button of document.querySelectorAll("[data-retry]")) {
            button.addEventListener("click", () => this.retry());
        }
        this.#dialog.querySelector("form").addEventListener("submit", (event) => this.#submit(event));
        document.getElementById("background-file").addEventListener("change", (event) => {
            const field = /** @type {HTMLInputElement} */ (event.target);
            const [file] = field.files;
            if (file) this.keep(file);
            field.value = "";
            this.#dialog.close();
        });
        document.getElementById("background-remove").addEventListener("click", () => {
            this.#dialog.close();
            board.run("removeBackground");
        });
        board.drawing.beforeFrames(() => this.#placeProgress());
        this.#follow();
    }

    // --- Actions.

    /** Opens the dialog for choosing a background. */
    ask() {
        const address = this.#board.sync.art.background?.address ?? "";
        /** @type {HTMLInputElement} */
        const field = document.getElementById("background-address");
        field.value = address;
        field.setCustomValidity("");
        document.getElementById("background-remove").hidden = this.#board.sync.art.background === null;
        this.#dialog.showModal();
        field.select();
    }

    #submit(event) {
        /** @type {HTMLInputElement} */
        const field = document.getElementById("background-address");
        const address = addressIn(field.value);
        if (address) {
            this.set(address);
            return;
        }
        event.preventDefault();
        field.setCustomValidity("An address begins with https:// or http://");
        field.reportValidity();
        field.addEventListener("input", () => field.setCustomValidity(""), { once: true });
    }

    /** Sets the background to an address; uploads the content of a `data:` address. */
    set(address) {
        if (/^data:/i.test(address)) {
            try {
                this.keep(blobOf(address));
            } catch (error) {
                this.#tell(error.message);
            }
            return;
        }
        this.#choose();
        this.#expect();
        const { sync } = this.#board;
        // Setting the same address again fetches it again.
        if (sync.art.background?.address === address) this.retry();
        else sync.change(stepName, [{ op: "background", background: { address } }]);
    }

    /** Uploads a picture and makes it the background. */
    async keep(blob) {
        const name = blob.name ? `“${blob.name}”` : "The picture";
        if (blob.size > pictureBytes) {
            const limit = inMegabytes(pictureBytes);
            this.#tell(`${name} has ${inMegabytes(blob.size)}. A picture can have ${limit}: choose a smaller one.`);
            return;
        }
        if (blob.type && !blob.type.startsWith("image/")) {
            this.#tell(`${name} is no picture. Choose a PNG, JPEG, GIF, WebP or SVG file.`);
            return;
        }
        const { sync } = this.#board;
        const number = this.#choose();
        this.#isSending = true;
        this.#follow();
        let failure = null;
        try {
            const { picture } = await sync.keepPicture(blob);
            if (number !== this.#chosen) return;
            this.#expect();
            sync.change(stepName, [{ op: "background", background: { picture } }]);
        } catch (error) {
            failure = error;
        }
        if (number !== this.#chosen) return;
        this.#isSending = false;
        this.#follow();
        if (failure?.isTemporary) this.#unsent = blob;
        if (failure) this.#tell(failure.message);
    }

    /** Starts another choice, which discards a pending upload. Returns the choice's number. */
    #choose() {
        this.#isSending = false;
        this.#unsent = null;
        return (this.#chosen += 1);
    }

    remove() {
        this.#choose();
        this.#board.sync.change("Remove Background", [{ op: "background", background: null }]);
    }

    async retry() {
        this.#alert.close();
        if (this.#unsent) {
            await this.keep(this.#unsent);
            return;
        }
        this.#expect();
        const { sync } = this.#board;
        // A picture with an address is fetched again, and decoded when it arrives. Other pictures are only decoded
        // again.
        if (!sync.art.background?.address) {
            this.#follow();
            return;
        }
        try {
            await sync.retryBackground();
        } catch (error) {
            this.#board.toasts.alert(error.message);
        }
    }

    #expect() {
        this.#isOurs = true;
        this.#before = this.#board.sync.picture;
        this.#board.backdrop.forgetFailure();
    }

    /** Shows why a dropped or chosen background couldn't be set. Only a failed upload can be retried. */
    #tell(message) {
        this.#showAlert(`Couldn't set background: ${message}`, this.#unsent !== null);
    }

    #showAlert(message, canRetry) {
        this.#alert.querySelector("p").textContent = message;
        this.#alert.querySelector("[data-retry]").hidden = !canRetry;
        if (!this.#alert.open) this.#alert.showModal();
    }

    // --- Progress.

    #follow() {
        const { backdrop, sync, drawing } = this.#board;
        const { picture } = sync;
        // Decode again whenever the server reports the picture: its body may differ, or the connection had failed.
        if (picture !== this.#followed && picture.state === "shown") backdrop.forgetFailure();
        this.#followed = picture;
        backdrop.show(picture.picture ?? picture.previous ?? null);
        const isFetching = picture.state === "fetching" || this.#isSending;
        this.#progress.hidden = !isFetching;
        const isMeasured = typeof picture.fraction === "number" && !this.#isSending;
        this.#progress.classList.toggle("is-measured", isMeasured);
        if (isMeasured) {
            const percent = Math.round(picture.fraction * 100);
            this.#progress.setAttribute("aria-valuenow", String(percent));
            this.#progress.style.setProperty("--part", `${percent}%`);
        } else {
            this.#progress.removeAttribute("aria-valuenow");
        }
        const isNews = picture !== this.#before;
        // The server doesn't decode pictures, so each tab finds out whether its browser can.
        const isUndecodable = picture.state === "shown" && backdrop.failed?.url === picture.picture.url;
        const hasFailed = (picture.state === "failed" || isUndecodable) && !this.#isSending;
        this.#problem.hidden = !hasFailed;
        if (hasFailed) {
            const message = isUndecodable ? undecodable : picture.message;
            this.#problem.querySelector("p").textContent = message;
            if (this.#isOurs && (isNews || isUndecodable)) this.#showAlert(message, true);
        } else if (this.#alert.open && !this.#unsent && !this.#alert.querySelector("[data-retry]").hidden) {
            this.#alert.close();
        }
        if (isUndecodable || (isNews && (picture.state === "failed" || picture.state === "none"))) this.#isOurs = false;
        else this.pictureHasCome();
        this.#board.refresh();
        drawing.invalidate();
    }

    /** Called when this browser couldn't load or decode the picture. */
    pictureHasFailed() {
        this.#follow();
    }

    /** Called when another picture can be drawn. Shows it with all emoji if it was set in this tab. */
    pictureHasCome() {
        const { backdrop, model, sync } = this.#board;
        if (!this.#isOurs || sync.picture.state !== "shown" || backdrop.shown?.url !== sync.picture.picture.url) return;
        this.#isOurs = false;
        model.run("fit");
    }

    #placeProgress() {
        if (this.#progress.hidden) return;
        const { x, y } = this.#board.camera.origin;
        this.#progress.style.transform = `translate(${x}px, ${y}px) translate(-50%, -50%)`;
    }
}
