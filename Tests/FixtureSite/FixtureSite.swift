package import Foundation

/// A web site of our own on loopback, pleasant and unpleasant, for tests that drive a browser.
///
/// The same server answers as `127.0.0.1` and as `localhost`: to a browser these are two sites, so a frame from the
/// other one lives in a process of its own. Nothing is cached (`no-store`).
///
/// | path | what it is |
/// |---|---|
/// | `/` | everything a page is made of: imported styles, web font, pictures of each kind, frames of both sites, named and `srcdoc` frames, shadow DOM, adopted and scripted styles, typed form values, canvas; `<html data-ready="yes">` once its scripts are done |
/// | `/image/N.png` | a picture of 64 × 48 px (`?width=&height=`) in the colour ``colour(ofImage:)`` |
/// | `/lazy` | pictures 1…40 by `loading=lazy`, 41…60 by an IntersectionObserver |
/// | `/vh`, `/wide`, `/print` | a hero of 100vh; 3000 px wide; hides parts and loads picture 71 in print only |
/// | `/tall?px=N` | exactly N px tall (100000), with a last line at the bottom |
/// | `/many?n=N`, `/large?megabytes=N` | N pictures (300); a body of N MB (30) |
/// | `/deep-frames` | frames nested 6 deep, alternating the two sites |
/// | `/frame-loop` | frames itself for ever, each time with another query |
/// | `/redirect?n=N` | N redirects (3), then `/` |
/// | `/redirect-to?url=URL` | one redirect to any address |
/// | `/redirect-loop`, `/client-redirect-loop` | never arrives: by status 302; by script |
/// | `/client-redirect`, `/meta-refresh` | arrives at `/plain` after its load |
/// | `/redirected-resources` | its style and its picture answer 302 first |
/// | `/plain` | a heading and a paragraph |
/// | `/status/CODE` | an HTML body with that status (400…599) |
/// | `/empty`, `/blank`, `/no-content` | 200 without a byte; HTML without content; 204 |
/// | `/drop`, `/truncated` | closes without an answer; closes in the middle of the body |
/// | `/missing-resources` | its picture 404s, its style is refused, its script 500s |
/// | `/download`, `/binary` | an attachment; `application/octet-stream` |
/// | `/document.pdf`, `/picture.png`, `/drawing.svg`, `/text`, `/data.json` | documents other than HTML |
/// | `/latin1`, `/latin1-meta`, `/utf16` | ISO-8859-1 by header; by meta; UTF-16 by its mark |
/// | `/xhtml`, `/quirks` | `application/xhtml+xml`; without a doctype |
/// | `/alert`, `/alerts`, `/confirm`, `/prompt`, `/beforeunload` | dialogs: on load; 50; with the answer in the page; on leaving |
/// | `/popup`, `/print-on-load`, `/permission` | a second window; `print()`; place and notifications |
/// | `/csp`, `/trusted-types` | strict policies, and what they stop |
/// | `/stall`, `/stall-body` | the headers never come; the rest of the body never comes |
/// | `/stall-image` | its picture `/stall/picture.png` never comes, so neither does its load event |
/// | `/stall/NAME` | a stalled resource: `.png`, `.css`, `.js` or HTML by its name |
/// | `/events`, `/polling` | an endless EventSource on `/event-stream`; fetches `/poll` again as soon as it is answered |
/// | `/late` | 200 ms after its load it fetches `/data.json?late` and pictures 81…83 |
/// | `/spin`, `/spin-before-load` | a script that never ends, after the load event and before |
/// | `/partial-media` | video and audio that answer `Range` with 206 |
/// | `/blob` | a picture from a `blob:` URL, one whose URL is revoked, and one from a `data:` URL |
/// | `/cookies` | shows the cookies that arrived and sets `visited=yes` |
/// | `/service-worker` | registers a worker that answers every picture of `/image/` itself, then shows one |
/// | `/headers` | the headers of the request, as text |
/// | `/files/…` | the folder given to ``run(serving:_:)`` |
package final class FixtureSite: Sendable {
    /// The port that the site answers at.
    package let port: Int
    private let journal: Journal
    private let refusing: RefusingPort

    /// Makes the handle of a server that listens at the port.
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
            // Only a path that a test misspelt gets here.
            preconditionFailure("Not a path of a URL: \(path)")
        }
        return url
    }
}

extension FixtureSite {
    /// The paths asked so far, each with its query, in order.
    package var requests: [String] {
        self.journal.requests
    }

    /// Returns as soon as a path was asked, at once if it has been already.
    ///
    /// It also returns when the task is cancelled or the server has stopped.
    ///
    /// - Parameter path: The path with its query, as in ``requests``.
    package func waitForRequest(_ path: String) async {
        await self.journal.asked.wait(for: path)
    }

    /// Lets a stalled answer go on, and those at the same path that are asked for later.
    ///
    /// - Parameter path: The stalled path with its query, as in ``requests``.
    package func release(_ path: String) {
        self.journal.released.say(path)
    }

    /// The one colour of the picture `/image/N.png`, which no other number has.
    package static func colour(ofImage number: Int) -> Colour {
        Colour(number: number)
    }

    /// The one colour of the picture `/assets/pictures/NAME.png`.
    package static func colour(ofPicture name: String) -> Colour {
        Colour(name: name)
    }
}
