import Futures
import Hummingbird
import Testing

@testable import Site

/// Tests the pages' scripts in Chromium: the page tests itself, and posts the results.
@Suite(.timeLimit(.minutes(15))) struct LiveScriptTests {
    private struct Entry: Decodable {
        let text: String?
    }

    @Test func livePageFollowsTheServerAndKeepsTheReadersState() async throws {
        let (events, push) = AsyncStream.makeStream(of: ServerSentEvent.self)
        let (later, pushLater) = AsyncStream.makeStream(of: ServerSentEvent.self)
        pushLater.yield(ServerSentEvent(data: "<p>There is room.</p>"))
        let attempts = Lock(0)
        let layout = try Layout(apps: [])
        let lines = try await SelfTestingPage.results(of: LiveScriptPage.script) { router in
            router.get("/page") { request, _ in
                let saved = request.uri.queryParameters["saved"].map(String.init) ?? "nothing"
                return layout.page(
                    title: "Tests", heading: "Tests",
                    content: HTML(
                        markup: LiveScriptPage.content.replacing("SAVED", with: saved) + SelfTestingPage.scriptElement))
            }
            router.get("/events") { request, _ in EventStream().response(to: request, sending: events) }
            router.get("/refused") { request, _ in
                switch attempts.withLock({ count -> Int in
                    count += 1
                    return count
                }) {
                case 1: throw Problem(.tooManyRequests, title: "Too many open pages", detail: "Close some of them.")
                case 2: throw Problem(.serviceUnavailable, title: "Busy", detail: "Try again later.")
                default: return EventStream().response(to: request, sending: later)
                }
            }
            router.get("/latest") { request, _ in
                let (latest, pushLatest) = AsyncStream.makeStream(of: ServerSentEvent.self)
                pushLatest.yield(ServerSentEvent(data: "<p>new</p>"))
                return EventStream().response(to: request, sending: latest)
            }
            router.post("/push") { request, context in
                let entry = try await request.decode(as: Entry.self, context: context)
                push.yield(ServerSentEvent(data: entry.text ?? ""))
                return HTTPResponse.Status.noContent
            }
            router.post("/refuse") { _, _ -> String in
                throw Problem(.unprocessableContent, title: "Not <b>that</b>", detail: "Type another one.")
            }
            router.post("/refuse-field") { _, _ -> String in
                throw Problem(.unprocessableContent, title: "Too long", detail: "Type less.", field: "text")
            }
            router.post("/save") { _, _ in Response.redirect(to: "/page", type: .normal) }
        }
        #expect(lines.count == 25)
        for line in lines { #expect(line.hasPrefix("ok "), "\(line)") }
    }
}

/// The page that tests itself.
private enum LiveScriptPage {
    static let content = #"""
        <div id="region" data-live="/events"><p data-key="a">A</p></div>
        <div id="late" data-live="/refused"></div>
        <div id="latest" data-live="/latest"><p>old</p></div>
        <form id="wrong" method="post" action="/refuse-field" data-enhanced>
        <div class="field"><input name="text" value="typed"></div><div role="alert" hidden></div><button>Send</button>
        </form>
        <form id="refused" method="post" action="/refuse" data-enhanced>
        <input name="text" value="typed"><button class="button">Send</button>
        </form>
        <form id="saved" method="post" action="/save" data-enhanced data-done="Saved.">
        <input name="text"><button class="button">Send</button>
        </form>
        <p id="answer">SAVED</p>
        <img id="held" src="/held" alt="">
        """#

    static let script = #"""
        const { morph } = await import(new URL("morph.js", document.querySelector("script[src$='/live.js']").src));

        const lines = [];
        const check = (condition, text) => { if (!condition) throw new Error(text); };
        const until = async (condition) => {
            for (let turn = 0; turn < 30000; turn += 1) {
                if (condition()) return;
                await new Promise((resolve) => setTimeout(resolve, 10));
            }
            throw new Error(`timed out: ${condition}`);
        };
        const post = (path, fields) => fetch(path, { method: "POST", body: new URLSearchParams(fields) });
        const box = document.createElement("div");
        document.querySelector("main").append(box);
        const keys = () => Array.from(box.children, (each) => each.dataset.key).join("");
        const row = (key, text = key) => `<p data-key="${key}">${text} <button>${key}</button></p>`;
        async function test(name, body) {
            try {
                box.innerHTML = "";
                await body();
                lines.push(`ok ${name}`);
            } catch (error) {
                lines.push(`FAILED ${name}: ${error}`);
            }
        }

        await test("items stay the same element when others are added, removed and moved", () => {
            morph(box, row("a") + row("b") + row("c"));
            const [a, b, c] = box.children;
            morph(box, row("z") + row("a") + row("b", "new") + row("c"));
            check(keys() === "zabc" && box.children[2] === b && b.textContent.startsWith("new"), keys());
            morph(box, row("c") + row("b") + row("y"));
            check(keys() === "cby" && box.children[0] === c && box.children[1] === b, keys());
            check(!a.isConnected, "a was not removed");
        });
        await test("any order of the items can become any other", () => {
            const orders = ["abcde", "edcba", "bd", "", "ceabd", "xayb", "a", "dabce"];
            for (const one of orders) for (const other of orders) {
                morph(box, Array.from(one, (key) => row(key)).join(""));
                morph(box, Array.from(other, (key) => row(key)).join("\n"));
                check(keys() === other, `${one} to ${other} is ${keys()}`);
            }
        });
        await test("the focus and the selection are preserved", () => {
            const field = (key) => `<p data-key="${key}"><input id="${key}" value="first"></p>`;
            morph(box, field("a") + field("b"));
            const input = box.querySelector("#b");
            input.value = "typed text";
            input.focus();
            input.setSelectionRange(2, 5);
            morph(box, field("c") + field("b") + field("a"));
            check(document.activeElement === input, "the focus is lost");
            check(input.value === "typed text", input.value);
            check(input.selectionStart === 2 && input.selectionEnd === 5, "the selection is lost");
        });
        await test("a region with a new version stays the same element, and gets the new version and content", () => {
            const region = (version, text) =>
                `<div data-key="r" data-live="/none" data-live-version="${version}"><p>${text}</p></div>`;
            morph(box, region("1", "old"));
            const [before] = box.children;
            morph(box, region("2", "new"));
            check(box.children[0] === before && before.dataset.liveVersion === "2", box.innerHTML);
            check(before.textContent === "new", before.textContent);
        });
        await test("the focus moves near a removed element", () => {
            morph(box, row("a") + row("b"));
            box.querySelector("button").focus();
            morph(box, row("b"));
            check(document.activeElement === box, document.activeElement.outerHTML);
        });
        await test("open details, checked boxes and typed text are preserved", () => {
            const html = (n) => `<details><summary>S</summary>${n}</details><input type="checkbox">
                <textarea rows="2">${n}</textarea><progress value="${n}" max="9"></progress>`;
            morph(box, html(1));
            box.querySelector("details").open = true;
            box.querySelector("input").checked = true;
            morph(box, html(2));
            check(box.querySelector("details").open && box.querySelector("input").checked, "closed or unchecked");
            check(box.querySelector("textarea").value === "2" && box.querySelector("progress").value === 2, "not updated");
            box.querySelector("textarea").value = "typed";
            morph(box, html(3));
            check(box.querySelector("textarea").value === "typed", "the typed text is lost");
        });
        await test("an element with data-keep is not changed", () => {
            morph(box, "<p>1</p><div data-keep>own</div><p>2</p>");
            const own = box.querySelector("div");
            own.textContent = "changed";
            morph(box, "<p>3</p><div>theirs</div><p>4</p>");
            check(own.isConnected && own.textContent === "changed", own.textContent);
            check(box.querySelectorAll("div").length === 1, "it appears twice");
            morph(box, "<p>5</p>");
            check(own.isConnected && box.textContent.includes("5") && !box.textContent.includes("4"), box.innerHTML);
        });
        await test("scripts and handlers in an update do not run", async () => {
            morph(box, "<script>window.bad = 1</scr" + "ipt><img src=/nowhere onerror='window.bad = 2'>");
            await new Promise((resolve) => box.querySelector("img").addEventListener("error", resolve));
            check(window.bad === undefined, "it ran");
        });
        const region = document.getElementById("region");
        const first = region.firstElementChild;
        await test("a region follows its stream", async () => {
            await post("/push", { text: "<p data-key=a>A1</p>\n<p data-key=b>B</p>" });
            await until(() => region.textContent.includes("B"));
            check(region.firstElementChild === first && first.textContent === "A1", region.innerHTML);
        });
        await test("a refused stream is requested again until it is accepted", async () => {
            await until(() => document.getElementById("late").textContent === "There is room.");
            await until(() => document.getElementById("connection").textContent === "");
        });
        await test("a problem is shown in the form, as text", async () => {
            const form = document.getElementById("refused");
            form.querySelector("button").focus();
            form.requestSubmit(form.querySelector("button"));
            check(form.querySelector("button").disabled && form.ariaBusy === "true", "not busy");
            await until(() => form.querySelector("[role=alert]")?.textContent);
            check(form.querySelector("[role=alert]").textContent === "Not <b>that</b>Type another one.", "text");
            check(!form.querySelector("button").disabled && !form.ariaBusy, "busy");
            check(document.activeElement === form.querySelector("button"), "no focus");
            check(form.elements.text.value === "typed", "the typed text is lost");
        });
        await test("the problem of a field is shown beside it until the form is sent again", async () => {
            const form = document.getElementById("wrong");
            const field = form.elements.text;
            form.requestSubmit();
            await until(() => field.nextElementSibling);
            check(field.nextElementSibling.textContent === "Too longType less.", "text");
            check(field.getAttribute("aria-invalid") === "true" && document.activeElement === field, "not marked");
            check(field.getAttribute("aria-errormessage") === field.nextElementSibling.id, "another message");
            check(field.value === "typed", "the typed text is lost");
            form.requestSubmit();
            check(!field.nextElementSibling && !field.hasAttribute("aria-invalid"), "still marked");
            await until(() => field.nextElementSibling);
        });
        await test("a submitted form is emptied, and the page shows the redirect's target", async () => {
            const form = document.getElementById("saved");
            form.elements.text.value = "typed";
            const heading = document.querySelector("h1");
            document.getElementById("answer").textContent = "old";
            form.requestSubmit();
            await until(() => document.getElementById("answer").textContent === "nothing");
            check(form.isConnected && form.elements.text.value === "", "not emptied");
            check(heading === document.querySelector("h1") && location.pathname === "/page", "the page was reloaded");
            check(region.textContent.includes("A1"), "the region shows an older state");
            await until(() => document.getElementById("connection").textContent === "Saved.");
        });
        await test("a region that a form's response adds shows what its stream has delivered already", async () => {
            const latest = document.getElementById("latest");
            await until(() => latest.textContent === "new");
            // The response has the region in another place, so it is added there with the response's content.
            document.querySelector("main").append(box);
            box.replaceChildren(latest);
            document.getElementById("saved").requestSubmit();
            await until(() => !latest.isConnected);
            await until(() => document.getElementById("latest").textContent === "new");
        });
        /** Replaces `fetch`, and adds a region that is fetched again. Responses are pages with a text in that region. */
        async function withPages(body) {
            const main = document.querySelector("main");
            main.insertAdjacentHTML(
                "beforeend", `<p id="beside"></p><div id="shown" data-live="/events" data-live-event="other" data-live-version="0"></div>`);
            const [real, { href }] = [window.fetch, location];
            const requests = [];
            window.fetch = (address) => new Promise((respond) => requests.push({
                respond(text) {
                    const copy = main.cloneNode(true);
                    for (const id of ["shown", "beside"]) copy.querySelector(`#${id}`).textContent = text;
                    respond(new Proxy(new Response(copy.outerHTML, { headers: { "Content-Type": "text/html" } }), {
                        get: (response, key) => key === "url" ? new URL(address, href).href
                            : typeof response[key] === "function" ? response[key].bind(response) : response[key],
                    }));
                },
            }));
            const shown = document.getElementById("shown");
            const outdated = () => shown.dispatchEvent(new Event("live:outdated", { bubbles: true }));
            try {
                await body(requests, shown, outdated);
            } finally {
                window.fetch = real;
                history.replaceState(null, "", href);
                shown.remove();
                document.getElementById("beside")?.remove();
            }
        }
        const settled = () => new Promise((resolve) => setTimeout(resolve, 50));
        await test("a form's response for an earlier search does not replace the results of the current one", () =>
            withPages(async (requests, shown, outdated) => {
                document.getElementById("saved").requestSubmit();
                history.replaceState(null, "", "?at=1");
                requests[0].respond("at 0");
                await until(() => requests.length === 2);
                history.replaceState(null, "", "?at=2");
                outdated();
                requests[2].respond("at 2");
                await until(() => shown.textContent === "at 2");
                requests[1].respond("at 1");
                await until(() => requests.length === 4 || shown.textContent === "at 1");
                check(shown.textContent === "at 2", shown.textContent);
                requests[3].respond("at 2, saved");
                await until(() => shown.textContent === "at 2, saved");
            }));
        await test("a form's response does not replace a region that was fetched later", () =>
            withPages(async (requests, shown, outdated) => {
                document.getElementById("saved").requestSubmit();
                outdated();
                requests[1].respond("second");
                await until(() => shown.textContent === "second");
                requests[0].respond("first");
                await until(() => requests.length === 3 || shown.textContent === "first");
                check(shown.textContent === "second", shown.textContent);
                history.replaceState(null, "", "#other");
                outdated();
                requests[3].respond("fourth");
                await until(() => shown.textContent === "fourth");
                requests[2].respond("third");
                await until(() => document.getElementById("beside").textContent === "third");
                check(shown.textContent === "fourth" && !("keep" in shown.dataset), shown.outerHTML);
            }));
        await test("a region does not become older than a form's response", () =>
            withPages(async (requests, shown, outdated) => {
                outdated();
                document.getElementById("saved").requestSubmit();
                requests[1].respond("second");
                await until(() => shown.textContent === "second");
                requests[0].respond("first");
                await settled();
                check(shown.textContent === "second", shown.textContent);
            }));
        await test("a confirmation ends when the next form is sent", async () => {
            const form = document.getElementById("refused");
            const connection = document.getElementById("connection");
            document.getElementById("saved").requestSubmit();
            await until(() => connection.textContent === "Saved.");
            form.requestSubmit();
            check(connection.textContent === "", "it still covers the form");
            await until(() => form.querySelector("[role=alert]")?.textContent);
        });
        await test("an unreachable server is reported in the form", async () => {
            const form = document.getElementById("refused");
            const real = window.fetch;
            window.fetch = () => Promise.reject(new TypeError("gone"));
            form.requestSubmit();
            await until(() => form.textContent.includes("The server didn't respond"));
            window.fetch = real;
        });
        await test("the report of an unreachable server ends with its next response", async () => {
            const form = document.getElementById("refused");
            check(form.textContent.includes("The server didn't respond"), form.textContent);
            document.getElementById("saved").requestSubmit();
            await until(() => !form.textContent.includes("The server didn't respond"));
        });
        await test("a form that is replaced while it is being sent can be sent again at once", async () => {
            // Delete becomes Undo when the event arrives, which may be before the response.
            const html = (action) => `<form method="post" action="${action}" data-enhanced data-key="f"><button>B</button></form>`;
            // An earlier test has replaced the page, which removed the box.
            document.querySelector("main").append(box);
            morph(box, html("/first"));
            const real = window.fetch;
            const requests = [];
            window.fetch = (address) => new Promise((_, fail) => requests.push([new URL(address, location.href).pathname, fail]));
            try {
                const form = box.querySelector("form");
                form.requestSubmit();
                check(form.ariaBusy === "true", "not busy");
                morph(box, html("/second"));
                check(box.querySelector("form") === form && !form.ariaBusy, "still waiting for the first form's response");
                check(!form.querySelector("button").disabled, "disabled");
                form.querySelector("button").click();
                check(requests.map(([path]) => path).join() === "/first,/second", requests.join());
                // The late response to the first form must not end the wait for the response to the second one.
                requests[0][1](new TypeError("gone"));
                await new Promise((resolve) => setTimeout(resolve, 50));
                check(form.ariaBusy === "true" && form.querySelector("button").disabled, "not busy with the second");
                requests[1][1](new TypeError("gone"));
                await until(() => !form.ariaBusy && !form.querySelector("button").disabled);
            } finally {
                window.fetch = real;
            }
        });
        await test("a form that becomes the form of another step can be sent again at once", async () => {
            document.querySelector("main").append(box);
            const html = (step, text) => `<form method="post" action="/undo" data-enhanced data-key="u"><p>${text}</p>
                <input type="hidden" name="step" value="${step}"><button>Undo</button></form>`;
            morph(box, html(2, "Deleted B"));
            const real = window.fetch;
            const sent = [];
            window.fetch = (_, { body }) => new Promise(() => sent.push(`${body}`));
            try {
                const form = box.querySelector("form");
                form.querySelector("button").click();
                morph(box, html(2, "Deleted B, 1 minute ago"));
                check(form.ariaBusy === "true" && form.querySelector("button").disabled, "no longer busy");
                form.requestSubmit();
                morph(box, html(1, "Deleted A"));
                check(box.querySelector("form") === form && !form.ariaBusy, "still busy with the first step");
                form.querySelector("button").click();
                check(sent.join() === "step=2,step=1", sent.join());
            } finally {
                window.fetch = real;
            }
        });
        await test("the focus stays near a form that was removed while it was being sent", async () => {
            document.querySelector("main").append(box);
            const item = `<li data-key="a"><form method="post" action="/gone" data-enhanced><button>A</button></form></li>`;
            morph(box, `<ul data-key="u">${item}<li data-key="b">B</li></ul>`);
            const list = box.querySelector("ul");
            const real = window.fetch;
            window.fetch = () => {
                // As the browser does in its next frame, because the button is disabled.
                document.activeElement.blur();
                morph(box, `<ul data-key="u"><li data-key="b">B</li></ul>`);
                return Promise.reject(new TypeError("gone"));
            };
            try {
                box.querySelector("button").focus();
                box.querySelector("button").click();
                await until(() => document.activeElement === list);
                // The next update leaves the focus there.
                morph(box, `<ul data-key="u"><li data-key="b">B1</li></ul>`);
                check(list.getAttribute("tabindex") === "-1" && list.textContent === "B1", list.outerHTML);
            } finally {
                window.fetch = real;
            }
        });
        await test("controls named like a form's properties do not change where it is sent", async () => {
            document.querySelector("main").append(box);
            morph(box, `<form method="post" action="/sent" data-enhanced><input name="method" value="get">
                <button name="action" value="a">A</button><button name="action" value="b">B</button></form>`);
            const real = window.fetch;
            const sent = [];
            window.fetch = (address, { body }) => new Promise(() => sent.push(`${address} ${body}`));
            try {
                box.querySelector("button[value=b]").click();
                check(sent.join() === "/sent method=get&action=b", sent.join());
            } finally {
                window.fetch = real;
            }
        });
        await test("the security policy allows the site's style sheet", () => {
            check(getComputedStyle(document.body).margin === "0px", "no style");
        });
        await post("/results", { results: lines.join("\n") });
        """#
}
