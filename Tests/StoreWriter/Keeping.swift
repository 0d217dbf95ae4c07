#if DEBUG
    import DurableFiles
    import Foundation
    import HTTPTypes

    @testable import HTTPFetching

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #else
        import Darwin
    #endif

    /// Keeps numbers in an HTTP cache's folder, on this thread, and says in a file before and after each.
    struct Keeping {
        var storage: DiskCacheStorage
        var numbers: ClosedRange<Int>
        var marks: OpenFile

        init?(_ arguments: [String]) throws {
            guard arguments.count == 5, let bound = Int(arguments[1]), let first = Int(arguments[2]),
                let last = Int(arguments[3]), first <= last
            else { return nil }
            self.storage = DiskCacheStorage(at: arguments[0], bound: bound)
            self.numbers = first...last
            self.marks = try OpenFile(arguments[4], .appending)
        }

        func run() throws {
            for number in numbers {
                let data = Self.content(number)
                let record = CacheRecord(
                    varying: [:], status: 200, headers: [:], requested: .distantPast, received: .distantPast,
                    body: .init(of: data))
                try marks.append(Data("begin \(number)\n".utf8))
                try storage.change("\(number % 3)", adding: data) { $0 = [record] }
                try marks.append(Data("end \(number)\n".utf8))
            }
        }

        /// Content that a part of would be noticed, and that tells its number.
        private static func content(_ number: Int) -> Data {
            Data(repeatElement("\(number) ", count: 4_000).joined().utf8)
        }
    }
#endif
