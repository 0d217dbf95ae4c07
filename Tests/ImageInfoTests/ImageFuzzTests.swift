import Foundation
import SeededChance
import StoreTesting
import Testing

@testable import ImageInfo

/// Tests that reading any bytes results in a header within the limits, a request for more bytes, or an error.
@Suite(.timeLimit(.minutes(10))) struct ImageFuzzTests {

    /// Reads the bytes, and verifies that the result is plausible.
    @discardableResult
    private func read(_ bytes: [UInt8], isComplete: Bool) -> ImageHeader.Reading? {
        do throws(ImageError) {
            let reading = try ImageHeader.read(bytes, isComplete: isComplete)
            switch reading {
            case .header(let header):
                verify(header.width > 0 && header.height > 0, bytes)
                verify(header.format == .svg || header.width * header.height <= ImageLimits.maximumPixels, bytes)
                verify((1...8).contains(header.orientation), bytes)
            case .needs(let count):
                verify(!isComplete && count > bytes.count && count <= ImageLimits.maximumHeaderBytes, bytes)
            }
            return reading
        } catch {
            verify(!error.message.isEmpty && !error.found.isEmpty, bytes)
            verify(isComplete || error.code != .truncated, bytes)
            return nil
        }
    }

    /// Like `#expect`, but a hundred times as fast.
    private func verify(_ isTrue: Bool, _ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
        if !isTrue { Issue.record("\(bytes) are read wrongly", sourceLocation: sourceLocation) }
    }

    @Test(arguments: SampleImages.all.map(\.name))
    func prefixRequestsMoreBytesUntilTheHeaderIsComplete(name: String) throws {
        let bytes = try #require(SampleImages.all.first { $0.name == name }).bytes
        let whole = ImageHeader.Reading.header(try ImageHeader(bytes))
        for length in 0...bytes.count {
            let beginning = Array(bytes.prefix(length))
            let reading = read(beginning, isComplete: false)
            if case .needs(let count) = reading {
                verify(count <= bytes.count, beginning)
            } else {
                verify(reading == whole, beginning)
            }
            let all = read(beginning, isComplete: true)
            verify(all == nil || all == whole, beginning)
        }
        // Like a transfer, reads exactly the requested bytes each time.
        var length = 0
        var reading = ImageHeader.Reading.needs(0)
        while case .needs(let count) = reading, count <= bytes.count {
            verify(count >= length, bytes)
            length = count
            reading = try ImageHeader.read(Array(bytes.prefix(count)), isComplete: false)
        }
        #expect(reading == whole)
        #expect(length <= bytes.count)
    }

    @Test(arguments: SampleImages.all.map(\.name))
    func anyChangedByteIsHandled(name: String) throws {
        let bytes = try #require(SampleImages.all.first { $0.name == name }).bytes
        var changed = bytes
        for index in bytes.indices {
            let values =
                isSoak ? Array(UInt8.min...UInt8.max) : (0..<8).map { bytes[index] ^ 1 << $0 } + [0, 0xFF]
            for value in values {
                changed[index] = value
                read(changed, isComplete: true)
                read(changed, isComplete: false)
            }
            changed[index] = bytes[index]
        }
    }

    @Test(arguments: SampleImages.all.map(\.name))
    func severalChangedBytesAreHandled(name: String) throws {
        let bytes = try #require(SampleImages.all.first { $0.name == name }).bytes
        var chance = SeededChance(seed: bytes.count)
        for _ in 0..<(isSoak ? 50_000 : 2_000) {
            var changed = bytes
            for _ in 0...Int.random(in: 0..<8, using: &chance) {
                let index = Int.random(in: 0..<changed.count, using: &chance)
                switch Int.random(in: 0..<4, using: &chance) {
                case 0: changed[index] = UInt8.random(in: 0...255, using: &chance)
                case 1: changed[index] = [0, 0x7F, 0x80, 0xFF].randomElement(using: &chance) ?? 0
                case 2: changed.insert(changed[index], at: index)
                default: if changed.count > 1 { changed.remove(at: index) }
                }
            }
            read(changed, isComplete: Bool.random(using: &chance))
        }
    }

    @Test func randomBytesAreHandled() {
        var chance = SeededChance(seed: 7)
        let beginnings = SampleImages.all.map { Array($0.bytes.prefix(16)) } + [[], SampleImages.avifType]
        for round in 0..<(isSoak ? 200_000 : 5_000) {
            let length = Int.random(in: 0..<200, using: &chance)
            let noise = (0..<length).map { _ in UInt8.random(in: 0...255, using: &chance) }
            read(beginnings[round % beginnings.count] + noise, isComplete: true)
        }
    }
}
