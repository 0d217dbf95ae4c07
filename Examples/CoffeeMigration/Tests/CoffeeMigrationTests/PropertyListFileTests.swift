import Drinks
import Foundation
import Testing

@testable import AppDriver

@Suite struct PropertyListFileTests {
    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("drinks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    @Test func writtenDrinksAreReadBack() throws {
        try withFolder { folder in
            let file = PropertyListFile(folder.appendingPathComponent("drinks.plist"))
            #expect(try file.read() == [])
            let drinks = [World.drink(96), World.drink(64)]
            try file.write(drinks)
            #expect(try file.read() == drinks)
        }
    }

    @Test func unreadableFileIsSetAside() throws {
        try withFolder { folder in
            let url = folder.appendingPathComponent("drinks.plist")
            try Data("no property list".utf8).write(to: url)
            let file = PropertyListFile(url)
            #expect(throws: (any Error).self) { try file.read() }
            try file.write([World.drink(96)])
            let aside = try Data(contentsOf: url.appendingPathExtension("unreadable"))
            #expect(String(decoding: aside, as: UTF8.self) == "no property list")
        }
    }
}
