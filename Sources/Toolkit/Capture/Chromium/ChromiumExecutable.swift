import Foundation
import SystemPackage

/// Locates the browser on this machine.
enum ChromiumExecutable {
    /// The usual locations of browsers, in order of preference.
    ///
    /// Debian's `/usr/bin/chromium` is a shell script that starts the first of these.
    static let defaultPaths = [
        "/usr/lib/chromium/chromium",
        "/usr/lib/chromium-browser/chromium-browser",
        "/opt/google/chrome/chrome",
        "/usr/bin/chromium",
        "/usr/bin/chromium-browser",
        "/usr/bin/google-chrome",
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
    ]

    /// Returns the chosen executable, which must exist, or the first that exists in the usual locations.
    static func find(chosen: String?, paths: [String] = defaultPaths) throws(CaptureError) -> FilePath {
        if let chosen {
            guard isProgram(chosen) else {
                let isFolder = (try? Stat(chosen))?.type == .directory
                throw CaptureError(
                    .browserNotFound,
                    (isFolder ? "\(chosen) is a folder." : "There is no program at \(chosen).")
                        + " Give the path of Chromium's program, or omit it to search for Chromium.")
            }
            return FilePath(chosen)
        }
        guard let path = paths.first(where: isProgram) else {
            throw CaptureError(
                .browserNotFound,
                "Chromium isn't installed in a usual place. Install it (on Debian: apt-get install chromium), or give "
                    + "its path with --chromium or MEANWHILE_CHROMIUM.")
        }
        return FilePath(path)
    }

    /// Whether the path is a file, or a link to one, that this account may execute.
    ///
    /// The check for a regular file excludes folders: permission to execute a folder only means permission to enter it.
    private static func isProgram(_ path: String) -> Bool {
        (try? Stat(path))?.type == .regular && FileManager.default.isExecutableFile(atPath: path)
    }
}
