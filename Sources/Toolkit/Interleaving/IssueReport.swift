import Testing
import XCTest

/// Records an issue in the running test, in Swift Testing or XCTest.
struct IssueReport: Sendable {
    let fileID: String
    let filePath: StaticString
    let line: Int
    let column: Int

    /// The place as Swift Testing describes it.
    var location: SourceLocation {
        SourceLocation(fileID: fileID, filePath: "\(filePath)", line: line, column: column)
    }

    func record(_ text: String) {
        if Test.current != nil {
            Issue.record(Comment(rawValue: text), sourceLocation: location)
        } else {
            XCTFail(text, file: filePath, line: UInt(line))
        }
    }

    /// Records a report at the place of the failure that it is about, or here if the failure has no place.
    func record(_ text: String, about failure: Failure?) {
        if Test.current != nil {
            Issue.record(Comment(rawValue: text), sourceLocation: failure?.location ?? location)
        } else if let failure, let file = failure.file, let line = failure.location?.line {
            XCTFail(text, file: file, line: UInt(line))
        } else {
            record(text)
        }
    }
}

extension Exploration {
    /// Attaches the timeline to the running test of Swift Testing, if there is one.
    func attachTimeline(at location: SourceLocation) {
        guard Test.current != nil, let timeline else { return }
        Attachment.record(timeline, named: timelineName, sourceLocation: location)
    }
}
