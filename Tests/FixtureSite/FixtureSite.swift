package import Foundation

/// A web site on loopback with ordinary and faulty pages, for tests that drive a browser.
///
/// The same server listens as `127.0.0.1` and as `localhost`. A browser treats these as two sites, so a frame from the
/// other one has a process of its own. Responses aren't cached (`no-store`).
///
/// | path | what it is |
/// |---|---|
/// | `/` | every part of a page, see below; `<html data-ready="yes">` once its scripts are done |
/// | `/image/N.png` | a picture in the colour ``colour(ofImage:)``, 64 × 48 px or `?width=&height=` |
/// | `/assets/pictures/NAME.png` | a picture in the colour ``colour(ofPicture:)`` |
/// | `/lazy` | pictures 1…40 by `loading=lazy`, 41…60 by an IntersectionObserver |
/// | `/vh`, `/wide` | a hero of 100vh, then text; 3000 px wide |
/// | `/window` | lists its resize and scroll events in `<html data-window>`; the first is `box`, the initial layout |
/// | `/print` | shows picture 70 on screen; prints picture 71 and other parts, with `/print/paper.css` |
/// | `/tall?px=N` | exactly N px tall (100000), with a last line at the bottom |
/// | `/many?n=N` | pictures 1…N (300) |
/// | `/large?megabytes=N` | a body of N · 10⁶ bytes (30) |
/// | `/deep-frames` | frames nested 6 deep, alternating the two sites, with pictures 90…96 |
/// | `/frame-loop` | frames itself endlessly, each time with another `?turn=` |
/// | `/redirect?n=N` | N redirects (3), then `/` |
/// | `/redirect-to?url=URL` | one redirect to any address |
/// | `/redirect-loop` | redirects to itself by 302 |
/// | `/client-redirect-loop` | redirects to itself by script, each time with another `?turn=` |
/// | `/client-redirect`, `/meta-refresh` | redirect to `/plain` after their load |
/// | `/redirected-resources` | `/redirected/style.css` and `/redirected/picture.png` answer 302 first |
/// | `/redirected-frames` | an HTML and an XHTML frame whose addresses answer 302 first |
/// | `/plain` | a heading and a paragraph |
/// | `/status/CODE` | an HTML body with that status (400…599) |
/// | `/empty`, `/blank` | 200 with an empty body; an HTML page without content |
/// | `/no-content` | 204 |
/// | `/drop`, `/truncated` | closes the connection without a response; in the middle of the body |
/// | `/missing-resources` | `/missing/absent.png` 404s, `damaged.png` isn't an image, a style is refused, `broken.js` 500s |
/// | `/download`, `/binary` | an attachment; `application/octet-stream` |
/// | `/document.pdf`, `/picture.png`, `/drawing.svg` | documents that aren't text |
/// | `/text`, `/data.json` | `text/plain`; `application/json` |
/// | `/latin1`, `/latin1-meta`, `/utf16` | ISO-8859-1 by header; by meta; UTF-16 by its byte order mark |
/// | `/xhtml`, `/quirks` | `application/xhtml+xml`; without a doctype |
/// | `/alert`, `/alerts` | one dialog on load; 50 |
/// | `/confirm`, `/prompt` | a question on load; the answer is in `#answer` |
/// | `/beforeunload` | asks for confirmation before it is left |
/// | `/popup`, `/print-on-load` | opens `/plain?popup`; calls `print()` |
/// | `/permission` | requests geolocation and notifications |
/// | `/csp` | allows `'self'` and no script: `/image/110.png` loads, the other site's `/image/111.png` does not |
/// | `/trusted-types` | the browser blocks a string for `innerHTML`; `#result` shows it |
/// | `/stall` | never sends the headers |
/// | `/stall-body` | never sends the rest of the body |
/// | `/stall-image` | `/stall/picture.png` never responds, so the load event never fires |
/// | `/stall/NAME` | a stalled `.png`, `.css`, `.js` or HTML, by its name |
/// | `/events` | an EventSource whose stream, `/event-stream`, ends only when it is released |
/// | `/polling` | fetches `/poll` again as soon as it is answered |
/// | `/late` | 200 ms after its load fetches `/data.json?late` and pictures 81…83 |
/// | `/spin`, `/spin-before-load` | a script that never ends, after the load event; before it |
/// | `/partial-media` | `/media/clip.webm` and `/media/tone.wav`, which answer a range with 206 |
/// | `/blob` | pictures `#blob` 120, `#revoked` 121 (its URL is revoked), `#data` 122 from a `data:` URL |
/// | `/cookies` | shows the cookies that arrived in `#cookies`, and sets `visited=yes` |
/// | `/service-worker` | its worker answers each `/image/` request with a red picture; then it shows picture 130 |
/// | `/headers` | the headers of the request, as text |
/// | `/recorded` | requests of every kind: redirects, forms, other encodings, repeated and missing resources, see its file |
/// | `/files/…` | the folder given to ``run(serving:_:)`` |
///
/// The page `/` has styles imported three deep, a web font, pictures of each kind, an inline SVG, a video with a
/// poster, a canvas, form values typed by script, open and declarative shadow DOM, adopted and scripted styles, a
/// template, a `<noscript>`, text of many scripts, and four frames: one of this site, one of the other site with a
/// nested frame, one with a name, and one with `srcdoc`.
package final class FixtureSite: Sendable {
    /// The port that the site listens on.
    package let port: Int
    private let journal: Journal
    private let refusing: RefusingPort

    /// Creates the handle of a server that listens on the port.
    init(port: Int, journal: Journal, refusing: RefusingPort) {
        self.port = port
        self.journal = journal
        self.refusing = refusing
    }
}

extension FixtureSite {
    /// The address of a path at `127.0.0.1`.
    package func url(_ path: String) -> URL {
        Self.url(host: "127.0.0.1", port: self.port, path)
    }

    /// The address of the same path at `localhost`, which is another site to a browser.
    package func otherSiteURL(_ path: String) -> URL {
        Self.url(host: "localhost", port: self.port, path)
    }

    /// An address at which every connection is refused.
    package func refusedURL(_ path: String) -> URL {
        Self.url(host: "127.0.0.1", port: self.refusing.number, path)
    }

    private static func url(host: String, port: Int, _ path: String) -> URL {
        guard let url = URL(string: "http://\(host):\(port)\(path.hasPrefix("/") ? "" : "/")\(path)") else {
            // Only a path that a test misspelt fails to parse.
            preconditionFailure("Not a path of a URL: \(path)")
        }
        return url
    }
}

extension FixtureSite {
    /// The requested paths so far, each with its query, in order.
    package var requests: [String] {
        self.journal.requests
    }

    /// Returns as soon as a path has been requested, at once if it already was.
    ///
    /// It also returns when the task is cancelled or the server has stopped.
    ///
    /// - Parameter path: The path with its query, as in ``requests``.
    package func waitForRequest(_ path: String) async {
        await self.journal.requested.wait(for: path)
    }

    /// Resumes a stalled response, and lets later requests for the same path through.
    ///
    /// - Parameter path: The stalled path with its query, as in ``requests``.
    package func release(_ path: String) {
        self.journal.released.signal(path)
    }

    /// The unique colour of the picture `/image/N.png`.
    package static func colour(ofImage number: Int) -> Colour {
        Colour(number: number)
    }

    /// The colour of the picture `/assets/pictures/NAME.png`.
    package static func colour(ofPicture name: String) -> Colour {
        Colour(name: name)
    }
}
