import HTTPTypes
import Testing

@testable import HTTPFetching

@Suite struct ContentRangeTests {
    @Test(arguments: [
        ("bytes 0-0/1", 0, 0, 1), ("BYTES 40-99/100", 40, 99, 100), ("bytes 007-8/9", 7, 8, 9),
        (
            "bytes 9223372036854775806-9223372036854775806/9223372036854775807", Int64.max - 1, Int64.max - 1,
            Int64.max
        ),
    ])
    func rangeIsParsed(text: String, first: Int64, last: Int64, total: Int64) throws {
        let range = try #require(ContentRange(text))
        #expect(range.first == first && range.last == last && range.total == total && range.reachesEnd)
    }

    @Test func unknownTotalIsParsed() throws {
        let range = try #require(ContentRange("bytes 0-9223372036854775807/*"))
        #expect(range.last == .max && range.total == nil && range.reachesEnd)
        #expect(ContentRange("bytes 0-8/10")?.reachesEnd == false)
    }

    /// Each number of the field is hostile in turn.
    @Test(arguments: hostileNumbers)
    func hostileNumberInARangeIsRefused(number: String) {
        for text in ["bytes \(number)-9/10", "bytes 0-\(number)/10", "bytes 0-9/\(number)", number] {
            #expect(ContentRange(text) == nil, "\(text)")
        }
    }

    @Test(arguments: hostileNumbers)
    func hostileNumberInALengthIsRefused(number: String) {
        #expect(HTTPNumber.parse(number) == nil)
        #expect(HTTPFields([HTTPField(name: .contentLength, value: number)]).announcedLength == nil)
    }
}

/// Invalid or extreme values for a number that a server sends.
let hostileNumbers = [
    "", "-1", "-0", "+5", "-9223372036854775808", "9223372036854775808", "18446744073709551616",
    "1000000000000000000000000000000", "٣", "５", "²", "0x10", "1e2", "1.0", "NaN", "inf", "*5",
]
