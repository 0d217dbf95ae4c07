import ArgumentParser
import Capture

// The argument types of `meanwhile capture`.

/// A comma-separated list of formats.
struct FormatList: ExpressibleByArgument {
    static let all = FormatList(formats: PageFormat.allCases)

    var formats: [PageFormat]

    init(formats: [PageFormat]) {
        self.formats = formats
    }

    init?(argument: String) {
        var formats: [PageFormat] = []
        for name in argument.lowercased().split(separator: ",") {
            guard let format = PageFormat(rawValue: String(name)) else { return nil }
            if !formats.contains(format) { formats.append(format) }
        }
        guard !formats.isEmpty else { return nil }
        self.formats = formats
    }

    var defaultValueDescription: String { formats.map(\.rawValue).joined(separator: ",") }
}

/// The paper size of a PDF.
enum PaperName: String, ExpressibleByArgument, CaseIterable {
    case page, a4, letter

    var paper: CaptureOptions.Paper {
        switch self {
        case .page: .onePage
        case .a4: .a4
        case .letter: .letter
        }
    }
}

/// The size of a browser window, such as `1280x800`.
struct ViewportSize: ExpressibleByArgument {
    var width: Int
    var height: Int

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    init?(argument: String) {
        let parts = argument.lowercased().split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let width = parts[0], let height = parts[1],
            (16...10_000).contains(width), (16...10_000).contains(height)
        else { return nil }
        self.width = width
        self.height = height
    }

    var defaultValueDescription: String { "\(width)x\(height)" }
}
