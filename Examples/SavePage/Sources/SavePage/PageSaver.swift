import Capture
import Foundation

/// Saves a web page in every type that there is, one file each.
@MainActor
final class PageSaver {
    private let webDataManager = WebDataManager()

    /// Writes `file.png`, `file.pdf` and `file.webarchive`.
    func save(_ url: URL, to file: URL) async throws {
        for type in WebDataManager.DataType.allCases {
            let data = try await webDataManager.createData(url: url, type: type)
            let target = file.appendingPathExtension(type.fileExtension)
            try data.write(to: target, options: .atomic)
            print("\(type.rawValue): \(target.path), \(data.count) bytes")
        }
    }

    /// Ends the browser.
    func close() async {
        await webDataManager.close()
    }
}

extension WebDataManager.DataType {
    fileprivate var fileExtension: String {
        switch self {
        case .snapshot: "png"
        case .pdf: "pdf"
        case .webArchive: "webarchive"
        }
    }
}
