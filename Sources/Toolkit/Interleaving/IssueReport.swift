import Testing
import XCTest

/// Records an issue in the running test, in Swift Testing or XCTest.
struct IssueReport {
    let fileID: String
    let filePath: StaticString
    let line: Int
    let column: Int

    func record(_ text: String) {
        if Test.current != nil {
            Issue.record(
                Comment(rawValue: text),
                sourceLocation: SourceLocation(fileID: fileID, filePath: "\(filePath)", line: line, column: column))
        } else {
            XCTFail(text, file: filePath, line: UInt(line))
        }
    }
}
