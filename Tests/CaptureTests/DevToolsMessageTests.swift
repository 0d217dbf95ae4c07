import Foundation
import Testing

@testable import Capture

@Suite struct DevToolsMessageTests {
    private func parse(_ text: String) -> DevToolsMessage? {
        DevToolsMessage(Data(text.utf8))
    }

    @Test func replyIsParsed() throws {
        let message = try #require(parse(#"{"id":12,"result":{"a":[1,{"b":"}"}]},"sessionId":"S1"}"#))
        guard case .reply(let id) = message.kind else {
            Issue.record("not a reply")
            return
        }
        #expect(id == 12)
        #expect(message.sessionID == "S1")
        #expect(String(decoding: message.payload, as: UTF8.self) == #"{"a":[1,{"b":"}"}]}"#)
    }

    @Test func failureIsParsed() throws {
        let message = try #require(parse(#"{ "id" : 3 , "error" : {"code":-32000,"message":"no"} }"#))
        guard case .failure(let id) = message.kind else {
            Issue.record("not a failure")
            return
        }
        #expect(id == 3)
        #expect(message.sessionID == nil)
        #expect(String(decoding: message.payload, as: UTF8.self) == #"{"code":-32000,"message":"no"}"#)
    }

    @Test func eventIsParsed() throws {
        let message = try #require(parse(#"{"method":"Page.loadEventFired","params":{"t":1.5e3},"sessionId":"S"}"#))
        guard case .event(let method) = message.kind else {
            Issue.record("not an event")
            return
        }
        #expect(method == "Page.loadEventFired")
        #expect(message.sessionID == "S")
    }

    @Test(arguments: [
        #"{"id":1,"result":{"s":"quote \" and brace } and \\"},"sessionId":"X"}"#,
        #"{"id":1,"result":{"s":"\\\\\""},"sessionId":"X"}"#,
        #"{"id":1,"result":{"s":"日本語 🙂 \u0000"},"sessionId":"X"}"#,
        #"{"id":1,"result":{},"sessionId":"X","extra":[[],{},"",null,true,-1.5]}"#,
    ])
    func stringsAreSkippedCompletely(text: String) throws {
        let message = try #require(parse(text))
        #expect(message.sessionID == "X")
        // The skipped part must be valid JSON by itself.
        _ = try JSONSerialization.jsonObject(with: message.payload)
    }

    @Test(arguments: [
        "", "{", "[]", "null", #"{"id":1"#, #"{"id":1,"result":{"a":"b}"#, #"{"result":{}}"#, #"{"id":1 "x":2}"#,
        #"{"method":5}"#, "\u{0}\u{1}",
    ])
    func invalidMessageIsRefused(text: String) {
        #expect(parse(text) == nil)
    }

    @Test func everyTruncationIsRefusedWithoutATrap() {
        let whole = #"{"id":7,"result":{"a":["x\"y",{"b":null}]},"sessionId":"S"}"#
        for length in 0..<whole.utf8.count {
            #expect(DevToolsMessage(Data(whole.utf8.prefix(length))) == nil)
        }
    }
}
