import Capture
import DurableFiles
import Foundation
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An error in writing output files; its description is readable by users.
struct OutputError: Error, CustomStringConvertible {
    var description: String
}

/// The folder for output files: a file appears only when it is complete, and either all new files of a page appear or
/// none.
///
/// If the file system has no hard links, a file is empty for a moment before it is complete.
struct OutputFolder: Sendable {
    let path: String
    let overwrite: Bool

    private func file(_ name: String) -> String {
        path.hasSuffix("/") ? path + name : "\(path)/\(name)"
    }

    /// Creates the folder if it is missing, and checks that it is writable.
    ///
    /// - Returns: The folders that were created, the outermost first.
    func prepare() throws(OutputError) -> [String] {
        let missing = missingFolders()
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        if exists, !isFolder.boolValue {
            throw OutputError(description: CaptureWords.notAFolder(path))
        }
        if !exists {
            do {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            } catch {
                let reason = Self.reason(Errno(rawValue: errno))
                Self.removeIfEmpty(missing)
                throw OutputError(description: CaptureWords.notCreated(folder: path, because: reason))
            }
        }
        let probe = file(".meanwhile-\(UUID().uuidString).part")
        do throws(Errno) {
            try Disk.real.writeNewFile(probe, Data(), isDurable: false)
            try Disk.real.removeFile(probe)
        } catch {
            Self.removeIfEmpty(missing)
            throw OutputError(description: CaptureWords.notWritable(folder: path, because: Self.reason(error)))
        }
        return missing
    }

    /// Removes those of the folders that are empty, the innermost first.
    static func removeIfEmpty(_ folders: [String]) {
        for folder in folders.reversed() { rmdir(folder) }
    }

    /// Returns those of this folder and its ancestors that don't exist, the outermost first.
    private func missingFolders() -> [String] {
        var folder = path.hasPrefix("/") ? "/" : ""
        return path.split(separator: "/").compactMap { name in
            folder += "\(name)/"
            return FileManager.default.fileExists(atPath: folder) ? nil : folder
        }
    }

    /// Writes a page's files under one name; they appear once all are written and synced.
    ///
    /// - Parameters:
    ///   - files: The content, by format.
    ///   - stem: The name without extension. If it is taken, a number is appended, unless files are to be
    ///     overwritten.
    /// - Returns: The paths of the files.
    /// - Throws: ``OutputError``; then no file of the page remains, except those that replaced others.
    func write(_ files: [(PageFormat, Data)], stem: String) throws(OutputError) -> [(PageFormat, String)] {
        var temporary: [(PageFormat, String)] = []
        defer { for (_, file) in temporary { unlink(file) } }
        for (format, data) in files {
            let part = file(".meanwhile-\(UUID().uuidString).part")
            temporary.append((format, part))
            try write(data, to: part)
        }
        for attempt in 1...10_000 {
            let name = attempt == 1 ? stem : "\(stem)-\(attempt)"
            if let paths = try publish(temporary, name: name) { return paths }
        }
        throw OutputError(description: CaptureWords.tooManyFiles(in: path, named: stem))
    }

    /// Writes one file; it appears once all of it is written and synced.
    ///
    /// - Parameters:
    ///   - data: The content.
    ///   - name: The name with its extension. An existing file is replaced only if files are to be overwritten.
    /// - Returns: The path of the file.
    /// - Throws: ``OutputError``; then nothing remains.
    func write(_ data: Data, named name: String) throws(OutputError) -> String {
        let part = file(".meanwhile-\(UUID().uuidString).part")
        let final = file(name)
        defer { unlink(part) }
        try write(data, to: part)
        guard try place(part, at: final) else { throw Self.taken(final) }
        try? Disk.real.syncFolder(path)
        return final
    }

    /// Rejects a name that is taken, before long work whose result couldn't be written.
    ///
    /// - Throws: ``OutputError``, unless files are to be overwritten.
    func check(_ name: String) throws(OutputError) {
        if !overwrite, access(file(name), F_OK) == 0 { throw Self.taken(file(name)) }
    }

    private static func taken(_ path: String) -> OutputError {
        OutputError(description: CaptureWords.alreadyExists(path))
    }

    /// Moves the parts to their final names.
    ///
    /// - Returns: The paths, or `nil` if a name is taken; then all parts have their temporary names again.
    private func publish(_ parts: [(PageFormat, String)], name: String) throws(OutputError) -> [(PageFormat, String)]? {
        var published: [(PageFormat, String)] = []
        // Before anything is replaced, check for folders: they would make a rename fail.
        for (format, _) in parts where overwrite {
            let final = file("\(name).\(format.fileExtension)")
            var isFolder: ObjCBool = false
            if FileManager.default.fileExists(atPath: final, isDirectory: &isFolder), isFolder.boolValue {
                throw OutputError(description: CaptureWords.isAFolder(final))
            }
        }
        for (format, part) in parts {
            let final = file("\(name).\(format.fileExtension)")
            var isPlaced = false
            defer {
                if !isPlaced, !overwrite {
                    for ((_, path), (_, part)) in zip(published, parts) { _ = rename(path, part) }
                }
            }
            isPlaced = try place(part, at: final)
            guard isPlaced else { return nil }
            published.append((format, final))
        }
        try? Disk.real.syncFolder(path)
        return published
    }

    /// Moves a file to its final name; replaces an existing file only if files are to be overwritten.
    ///
    /// - Returns: `false` if the name is taken.
    private func place(_ part: String, at final: String) throws(OutputError) -> Bool {
        do throws(Errno) {
            if overwrite { try Disk.real.rename(part, to: final) } else { try Disk.real.move(part, toNew: final) }
            return true
        } catch .fileExists where !overwrite {
            return false
        } catch {
            throw OutputError(description: CaptureWords.notWritten(final, because: Self.reason(error)))
        }
    }

    private func write(_ data: Data, to part: String) throws(OutputError) {
        do throws(Errno) {
            try Disk.real.writeNewFile(part, data, isPrivate: false)
        } catch {
            guard [.noSpace, .diskQuotaExceeded, .fileTooLarge].contains(error) else {
                throw OutputError(description: CaptureWords.notWritten(path, because: Self.reason(error)))
            }
            throw OutputError(description: CaptureWords.doesNotFit(path, bytes: data.count))
        }
    }

    private static func reason(_ error: Errno) -> String {
        switch error {
        case .permissionDenied, .notPermitted: CaptureWords.permissionDenied
        case .readOnlyFileSystem: CaptureWords.readOnly
        case .noSpace, .diskQuotaExceeded: CaptureWords.diskIsFull
        case .notDirectory: CaptureWords.fileInPath
        case .fileNameTooLong: CaptureWords.nameTooLong
        default: "\(error)"
        }
    }
}

extension OutputFolder {
    /// Returns a file name without extension for a page: its host and path, in letters, digits, dots and dashes.
    static func stem(for url: URL) -> String {
        var text = url.host(percentEncoded: false) ?? ""
        if let port = url.port { text += "-\(port)" }
        var path = url.path(percentEncoded: false)
        for ending in [".html", ".htm", ".xhtml", ".php"] where path.lowercased().hasSuffix(ending) {
            path = String(path.dropLast(ending.count))
        }
        text += "-\(path)"
        if let query = url.query(percentEncoded: false), !query.isEmpty { text += "-\(query)" }
        var stem = ""
        // Filters scalars, not characters: for the file system, a slash is a separator even if a combining mark
        // follows it.
        for scalar in text.unicodeScalars {
            if scalar.properties.isPartOfWord || scalar == "." || scalar == "_" {
                stem.unicodeScalars.append(scalar)
            } else if stem.unicodeScalars.last != "-" {
                stem.append("-")
            }
            // File names are limited to 255 bytes; the rest is for a number and the extension.
            if stem.utf8.count > 150 { break }
        }
        while stem.utf8.count > 150 { stem.unicodeScalars.removeLast() }
        let trimmed = stem.trimmingCharacters(in: CharacterSet(charactersIn: "-."))
        return trimmed.isEmpty ? "page" : trimmed
    }
}

extension Unicode.Scalar.Properties {
    /// Whether the scalar is a letter, a mark on a letter, or a number.
    fileprivate var isPartOfWord: Bool {
        switch generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber:
            true
        default: false
        }
    }

    /// Whether the scalar is unsuitable for a file name, because it ends a line or controls a terminal.
    var isUnprintable: Bool {
        [.control, .lineSeparator, .paragraphSeparator].contains(generalCategory)
    }
}
