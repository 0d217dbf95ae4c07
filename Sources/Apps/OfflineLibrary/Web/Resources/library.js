// Offers a bookmarklet, which opens the list with the address of the page on which it is used. It contains the address
// of this site as the browser knows it; behind a proxy, the server may know only another one.

const panel = document.getElementById("bookmarklet");
/** @type {HTMLAnchorElement} */
const link = panel?.querySelector("a");
/** @type {HTMLInputElement} */
const field = panel?.querySelector("input");

if (link && field) {
    const code = `javascript:void(open('${location.origin}/library/?url='+encodeURIComponent(location.href)))`;
    link.setAttribute("href", code);
    field.value = code;
    panel.hidden = false;
    // The site's policy forbids such addresses, so here a click would only cause an error.
    link.addEventListener("click", (event) => event.preventDefault());
}
