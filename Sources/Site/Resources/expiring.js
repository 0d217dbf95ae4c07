// Ends messages after a while. A message that the pointer or the focus has reached stays until both have left it.

/**
 * Calls `end` once a message has been shown for a time, in milliseconds, without the pointer or the focus.
 *
 * @returns {() => void} A function to call if the message is removed early.
 */
export function expire(message, time, end) {
    let timer = null;
    // A message that is removed may still lose the focus or the pointer.
    let isEnded = false;
    const stop = () => clearTimeout(timer);
    const start = () => {
        stop();
        if (!isEnded) timer = setTimeout(end, time);
    };
    for (const type of ["pointerenter", "focusin"]) message.addEventListener(type, stop);
    message.addEventListener("pointerleave", () => message.contains(document.activeElement) || start());
    message.addEventListener("focusout", () => message.matches(":hover") || start());
    start();
    return () => {
        isEnded = true;
        stop();
    };
}
