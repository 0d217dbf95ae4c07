import Capture
import Egress
import Foundation

/// Saves a web page in each available format, one file per format.
@MainActor
final class PageSaver {
    private let webDataManager: WebDataManager

    /// Creates a saver; its browser starts with the first page.
    ///
    /// - Parameter rules: The addresses that may be opened besides public ones.
    init(allowing rules: [AllowRule] = []) {
        let configuration = PageCapturer.Configuration { $0.addressPolicy = AddressPolicy(allowing: rules) }
        webDataManager = WebDataManager(capturer: PageCapturer(configuration: configuration))
    }

    /// Writes `file.png`, `file.pdf` and `file.webarchive`.
    ///
    /// - Returns: The files that were written, and the data of each.
    func save(_ url: URL, to file: URL) async throws -> [(WebDataManager.DataType, URL, Data)] {
        var files: [(WebDataManager.DataType, URL, Data)] = []
        for type in WebDataManager.DataType.allCases {
            let data = try await webDataManager.createData(url: url, type: type)
            let target = file.appendingPathExtension(type.fileExtension)
            try data.write(to: target, options: .atomic)
            files.append((type, target, data))
        }
        return files
    }

    /// Shuts down the browser.
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
