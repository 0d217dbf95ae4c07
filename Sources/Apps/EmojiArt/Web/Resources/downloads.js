// Downloads boards as files. Errors are shown on the board, without leaving the page.

import { ask } from "./board-requests.js";

export class BoardDownloads {
    #board;

    constructor(board) {
        this.#board = board;
    }

    /** Downloads the file at an address. Pending changes are sent first, so that the file contains them. */
    async take(href) {
        const { sync, toasts } = this.#board;
        this.#board.model.settle();
        await sync.flush();
        if (sync.isWaiting) {
            toasts.alert("The board was not downloaded, because not all of it is saved. Try again when it says Saved.");
            return;
        }
        try {
            const response = await ask(href, { cache: "no-store", headers: { Accept: "application/problem+json, */*" } });
            const notes = JSON.parse(decodeURIComponent(response.headers.get("Meanwhile-Notes") ?? "[]"));
            this.#save(await response.blob(), nameIn(response.headers.get("Content-Disposition") ?? ""));
            for (const note of notes) toasts.alert(note);
        } catch (error) {
            toasts.alert(`The board was not downloaded. ${error.message}`);
        }
    }

    #save(blob, name) {
        const link = document.createElement("a");
        link.href = URL.createObjectURL(blob);
        link.download = name;
        link.click();
        // After a minute the browser has certainly started to read the blob.
        setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    }
}

/** The name of a file in `Content-Disposition` (RFC 6266). */
function nameIn(disposition) {
    const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition);
    return encoded ? decodeURIComponent(encoded[1]) : "board";
}
