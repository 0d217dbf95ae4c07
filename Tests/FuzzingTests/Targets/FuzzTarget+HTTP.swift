import Foundation
import HTTPTypes

@testable import HTTPFetching

extension FuzzTarget {
    /// Header fields of a response: redirects and retry delays.
    static let httpHeaders = FuzzTarget(
        "http-headers",
        dictionary: [
            "location: http://", "location: //", "retry-after: ", "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "99999999999999999999",
        ]
    ) { data in
        var input = InputReader(data)
        let status = 100 + Int(input.byte()) * 2
        let headers = fields(input.lines()[...])
        let error = FetchError(
            status: status, headers: headers, url: webAddress, now: Date(timeIntervalSince1970: 1_700_000_000))
        if let delay = error.retryAfter {
            try require(delay >= .zero && delay <= .seconds(2_147_483_648), "the delay is \(delay)")
        }
        try followRedirects(status: status, headers)
    }

    private static func fields(_ lines: ArraySlice<String>) -> HTTPFields {
        var fields = HTTPFields()
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = HTTPField.Name(String(parts[0])) else { continue }
            let field = HTTPField(name: name, value: parts[1].trimmingCharacters(in: .whitespaces))
            fields.append(field)
        }
        return fields
    }

    private static let webAddress: URL = {
        var parts = URLComponents()
        (parts.scheme, parts.host, parts.path) = ("https", "example.org", "/a/b")
        return parts.url ?? URL(filePath: "/")
    }()

    private static func followRedirects(status: Int, _ headers: HTTPFields) throws {
        guard var trail = try? RedirectTrail(FetchRequest(webAddress), limit: 4) else { return }
        for step in 0...6 {
            do throws(FetchError) {
                guard try trail.follow(status: status, headers: headers) else { return }
            } catch {
                return
            }
            try require(step <= 4, "more than four redirects are followed")
            let url = trail.hop.url
            try require(url.scheme?.lowercased() == "https", "a redirect from https to \(url) is followed")
            try require(url.user == nil && url.password == nil, "\(url) has a name or password")
        }
    }

    /// `Content-Range` and `Content-Length`, and the resumption of an interrupted transfer.
    static let httpRanges = FuzzTarget(
        "http-ranges", maximumLength: 512,
        dictionary: [
            "bytes ", "-", "/", "*", "9223372036854775807", "-9223372036854775808", "W/\"a\"", "\"a\"", "none",
        ]
    ) { data in
        var input = InputReader(data)
        let bare = String(decoding: data, as: UTF8.self)
        if let range = ContentRange(bare) { try check(range) }
        var machine = ResumeStateMachine(method: .get, isPlain: true, attempts: 3)
        var retries = 0
        var start: Int64 = 0
        while !input.isAtEnd, retries < 8 {
            switch input.number(below: 4) {
            case 0, 1:
                let statuses = [200, 206, 416, 304, 500]
                let status = statuses[input.number(below: statuses.count)]
                var headers = HTTPFields()
                headers[.contentRange] = input.line()
                headers[.contentLength] = input.line()
                headers[.eTag] = input.line()
                if input.number(below: 8) == 0 { headers[.contentEncoding] = "gzip" }
                if let range = headers[.contentRange].flatMap(ContentRange.init) { try check(range) }
                try require(headers.announcedLength ?? 0 >= 0, "a length is negative")
                if machine.answered(status: status, headers: headers) == .append {
                    let range = headers[.contentRange].flatMap(ContentRange.init)
                    try require(status == 206 && range?.first == start, "a wrong part is accepted as the rest")
                }
            case 2:
                machine.received(Int(input.byte()) * 1_000)
            default:
                guard let requestKind = machine.connectionLost() else { return }
                retries += 1
                if case .from(let first, let validator) = requestKind {
                    try require(first > 0 && !validator.hasPrefix("W/"), "the transfer is resumed from \(first)")
                    start = first
                }
            }
        }
        try require(retries < 8, "the transfer is retried without end")
    }

    private static func check(_ range: ContentRange) throws {
        try require(range.first >= 0 && range.first <= range.last, "\(range) ends before it begins")
        if let total = range.total { try require(range.last < total, "\(range) is longer than the whole") }
        _ = range.reachesEnd
    }
}
