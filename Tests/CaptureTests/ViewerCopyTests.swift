import FixtureSite
import Foundation
import Testing

@testable import Capture

/// Tests of viewer copies, which are archives converted into single HTML pages.
@Suite(.timeLimit(.minutes(20))) struct ViewerCopyTests {
    @Test(arguments: [
        "/", "/deep-frames", "/redirected-resources", "/csp", "/latin1-meta", "/utf16", "/xhtml", "/quirks", "/lazy",
        "/vh",
        "/picture.png", "/drawing.svg", "/plain",
    ])
    func copyRendersLikeItsArchiveWithoutRequests(path: String) async throws {
        try await FixtureSite.run { site in
            let capture = try await sharedCapturer.capture(
                site.url(path), formats: [.webArchive], options: .withLongTimeouts)
            let archive = try WebArchive(propertyList: try #require(capture.data[.webArchive]))
            try await Self.expectSame(archive)
        }
    }

    @Test(arguments: DocumentationSiteTests.pages)
    func copiesOfRealPagesRenderLikeTheirArchives(page: String) async throws {
        let folder = URL(filePath: "/usr/share/doc")
        try #require(FileManager.default.fileExists(atPath: folder.appending(path: page).path()))
        try await FixtureSite.run(serving: folder) { site in
            let capture = try await sharedCapturer.capture(
                site.url("/files/\(page)"), formats: [.webArchive], options: .withLongTimeouts)
            let data = try #require(capture.data[.webArchive])
            let copy = try await Self.expectSame(try WebArchive(propertyList: data))
            // Style sheets imported by two others are included twice.
            #expect(copy.count < data.count * 2)
        }
    }

    /// Expects that a copy requests nothing, and renders to the same picture as its archive.
    @discardableResult
    static func expectSame(_ archive: WebArchive, within limit: Double = 0.005) async throws -> Data {
        let copy = try await sharedCapturer.viewerCopy(of: archive, options: .withLongTimeouts)
        let shown = try await render(copy)
        #expect(shown.unanswered.isEmpty, "unanswered requests: \(shown.unanswered)")
        let difference = try await Checks.difference(
            try await sharedCapturer.render(archive, options: .withLongTimeouts).png, shown.png)
        #expect(difference.different <= limit)
        return copy
    }

    /// Renders a copy, and returns the picture with the requests that remained unanswered.
    static func render(_ copy: Data) async throws -> (png: Data, unanswered: [String], undecodable: Set<String>) {
        var shown = try await sharedCapturer.render(
            WebArchive(
                mainResource: .init(
                    data: copy, url: "http://copy.example/", mediaType: "text/html", textEncodingName: "UTF-8")),
            options: .withLongTimeouts)
        // The browser asks for icons by itself, at any time.
        shown.unanswered.removeAll { $0.hasSuffix("/favicon.ico") || $0.hasSuffix("/icon.png") }
        return shown
    }

    /// The parts of a copy that would run, load or navigate, found in Chromium's parsed document and its frames.
    static func findings(in copy: Data) async throws -> [String] {
        try await evaluate(findingsScript, as: [String].self, in: copy)
    }

    /// Evaluates a script in a copy, or in its first frame.
    static func evaluate<Value: Decodable & Sendable>(
        _ script: String, as type: Value.Type, in copy: Data, inFrame: Bool = false
    ) async throws -> Value {
        let answers = ArchivedResponses(
            WebArchive(
                mainResource: .init(
                    data: copy, url: "http://copy.example/", mediaType: "text/html", textEncodingName: "UTF-8")))
        let request = PageTab.Request(
            url: try #require(URL(string: "http://copy.example/")), options: .withLongTimeouts, archives: [],
            archivedResponses: answers)
        return try await sharedCapturer.withTab(request) { tab throws(CaptureError) in
            try await tab.navigate()
            _ = try await tab.settle(early: false)
            // A document in an attribute, `about:srcdoc`, comes before one in a `data:` address.
            let frames = try await tab.frameParts().filter { $0.value.frame.parentId != nil }
            let frame = inFrame ? frames.min { $0.value.frame.url < $1.value.frame.url }?.key : nil
            return try await tab.evaluate(script, as: type, frame: frame)
        }
    }
}

private let findingsScript = #"""
    (() => {
      const found = [];
      const check = root => {
        for (const element of root.querySelectorAll('*:not(base[href="about:srcdoc"])')) {
          const name = element.localName.toLowerCase();
          if (/^(script|noscript|base|applet|portal|set|animate)$/.test(name)) found.push(name);
          for (const {name: attribute, value} of element.attributes) {
            if (attribute === 'srcdoc') check(new DOMParser().parseFromString(value, 'text/html'));
            else if (/^on/i.test(attribute)) found.push(attribute);
            else if (/^(action|formaction|ping|manifest)$/i.test(attribute)) found.push(attribute);
            else if (/(^|:)(src|href|data|poster|background)$/i.test(attribute)) {
              if (/^data:text\/html/.test(value)) check(new DOMParser().parseFromString(decodeURIComponent(value), 'text/html'));
              const isSafeLink = /^(a|area)$/.test(name) && /^https?:/.test(value)
                && element.getAttribute('target') === '_blank'
                && element.getAttribute('rel') === 'noopener noreferrer';
              if (!isSafeLink && !/^(data:|#)/.test(value)) found.push(name + ' ' + attribute + ' ' + value);
            }
            if (/evil|script:/i.test(value) && attribute !== 'srcdoc') found.push(attribute + '=' + value.slice(0, 80));
          }
          if (name === 'meta' && /refresh/i.test(element.httpEquiv)) found.push('refresh');
          if (name === 'style' && /http|url\((?!"?data:|a b|#)/i.test(element.textContent.replace(/url\(data:[^)]*\)/g, '')))
            found.push(element.textContent.slice(0, 80));
          if (element.shadowRoot) check(element.shadowRoot);
          if (element.content && element.content.querySelectorAll) check(element.content);
        }
      };
      check(document);
      return found;
    })()
    """#
