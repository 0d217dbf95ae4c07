import ArgumentParser

/// All that commands say about another server whose API they use.
enum RemoteWords {
    static let server: ArgumentHelp = """
        Use the data of a server, such as https://pages.example.com, instead of a folder; also from MEANWHILE_SERVER. \
        Needs a token of meanwhile token add.
        """
    static let tokenFile: ArgumentHelp =
        "The file with the token; also from MEANWHILE_TOKEN_FILE, or the token itself from MEANWHILE_TOKEN."
    static let address = "an address such as https://pages.example.com, with nothing after it"
    static let tokenWithoutServer = "--token-file needs --server."
    static let noToken = """
        There is no token for the server. Give a file with --token-file, or set MEANWHILE_TOKEN. The server's page \
        /account/tokens makes one.
        """
    static let onlyLocal = "This command works only with a folder of this computer, without --server."
    static let onlyLocalOptions = """
        --server takes no --paper, --viewport, --scale, --allow and --chromium: the server captures the page by its own \
        settings.
        """
    static let stillSaving = "The server is still saving the page. Find it in its library."

    static func tokenNotRead(_ path: String, _ reason: String) -> String {
        "Couldn't read the token in \(path): \(reason)"
    }
    static func unencrypted(_ server: String) -> String {
        "The connection to \(server) is unencrypted: others on the network can read the token. Use https."
    }
    static func unreachable(_ server: String, _ reason: String) -> String {
        "Can't reach \(server): \(reason). Check the address, and that the server is running."
    }
    static func redirected(_ server: String, _ place: String) -> String {
        "\(server) redirects to \(place). Give the address of the Meanwhile server itself with --server."
    }
    static func otherVersion(_ server: String) -> String {
        "\(server) isn't a Meanwhile server, or its version has another API. Use the same version on both computers."
    }
    static func status(_ status: Int) -> String { "The server responded with status \(status)." }
}
