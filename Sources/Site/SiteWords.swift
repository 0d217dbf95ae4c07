import Formats

/// All that the site itself says to people: on the home page, around each app's pages, and in its errors.
///
/// docs/words.md explains how to change and add words. Values are formatted for the reader of the current task.
enum SiteWords {
    static let name = "Meanwhile"
    /// Where the button of a problem's page leads, in “Go to the home page”.
    static let homePage = "the home page"
}

// MARK: - Errors

extension SiteWords {
    static let tooMuchData = "Too much data"
    static let tooMuchDataDetail = "The data is larger than allowed, so nothing was saved. Send less at a time."
    static let badRequest = "The server couldn't read the request"
    static let badRequestDetail = "Go back, reload the page and try again."
    static let notFound = "Page not found"
    static let stopping = "The server is stopping"
    static let stoppingDetail = "It couldn't finish this request. Start the server again, then reload the page."
    static let serverError = "Something went wrong on the server"
    static let serverErrorDetail = "This is a bug in Meanwhile. Try again. If it happens again, report it."
    static let requestFailed = "The request failed"
    static let bodyForAnEventStream = "An event stream takes no request body.\n"
    static let noHost = "The request has no valid Host header"
    static let noHostDetail =
        "A request needs exactly one Host header. Update your browser or program, then try again."
    static let anotherAddress = "This isn't the site's address"
    static let anotherSite = "This request came from another site"
    static let notAForm = "This isn't a form"
    static let notAFormDetail =
        "Send the data as a form, with the content type application/x-www-form-urlencoded."
    static let formNotRead = "The form couldn't be read"
    static let formNotReadDetail =
        "A field is missing or has an invalid value. Go back, reload the page, fill in the form and try again."
    static let noHint = "Hint not found"
    static let noHintDetail = "No app has this hint. Go back and reload the page."
    static let tooManyPages = "Too many pages are open"
    static let tooManyPagesDetail = "This page won't update until other pages of this server are closed."

    static let tooManyRequests = "Too many requests"
    static let tooManyRequestsDetail =
        "The server has received too many requests from you. Wait a moment, then try again."
    static let onlyHTTPS = "This server only speaks HTTPS. Open the address with https:// in front.\n"

    static func dataLargerThan(limit: Int) -> String {
        """
        The data is larger than \(ReaderFormats.current.number(limit)) bytes, so nothing was saved. Send less at a time.
        """
    }
    static func notFoundDetail(_ path: some StringProtocol) -> String {
        """
        There is no page at \(path). It may have been deleted, or the address may be mistyped. Go back and choose \
        another page.
        """
    }
    /// The end of ``serverErrorDetail``.
    static func reference(_ reference: String) -> String {
        "For details, look for the reference \(reference) in the server's log."
    }
    static func requestFailedDetail(status: Int) -> String {
        "The server responded with status \(status). Go back and try again."
    }
    static func anotherAddressDetail(_ host: String, own address: String) -> String {
        """
        This site isn't available at \(host). Open \(address) instead. To make it available at that name, start \
        Meanwhile with --origin and the complete address.
        """
    }
    static func anotherSiteDetail(own address: String) -> String {
        """
        Only pages of this site can change data, so nothing was changed. Open \(address) and try again there. A script \
        must send the header X-Requested-With.
        """
    }
    static func pagesOpenOn(_ address: String) -> String {
        "This page won't update until you close some of the pages that are open on \(address)."
    }
}

// MARK: - Why the server can't start

extension SiteWords {
    static func noCertificate(_ path: String) -> String { "\(path) contains no certificate in PEM format." }
    static func unreadableCertificate(_ path: String) -> String {
        "\(path) can't be read, or is empty. Give files that the server's account may read."
    }
    static func unusableCertificate(_ certificate: String, key: String) -> String {
        """
        The certificate in \(certificate) and the key in \(key) can't be used together. Give PEM files of one certificate and \
        its key, without a passphrase.
        """
    }
    static func invalidProxy(_ text: String) -> String {
        """
        \(text.prefix(100)) isn't an address of a proxy. Give an IP address such as 127.0.0.1, or a block such as 10.0.0.0/8.
        """
    }
    static func notLoopback(_ host: String) -> String {
        """
        Can't listen on \(host): without a required sign-in, Meanwhile accepts connections from this computer only. Use \
        127.0.0.1.
        """
    }
    static func invalidOrigin(_ origin: String) -> String {
        """
        \(origin) isn't a site's address. Give --origin only a scheme and a host, such as https://pages.example.com
        """
    }
    static func portInUse(_ port: Int, another: Int) -> String {
        """
        Port \(port) is in use by another program, perhaps another Meanwhile server. Stop that program, or choose \
        another port: --port \(another)
        """
    }
    static func portNotAllowed(_ port: Int) -> String {
        "Port \(port) is reserved for the system. Choose a port above 1023: --port 8080"
    }
    static func cannotListen(_ host: String, port: Int, because reason: String) -> String {
        "Can't listen on \(host), port \(port): \(reason). Choose another --port."
    }
}

// MARK: - Metrics

extension SiteWords {
    static func cannotServeMetrics(_ port: Int, because reason: String) -> String {
        "Can't serve metrics on 127.0.0.1, port \(port): \(reason). Choose another --metrics-port."
    }
}

// MARK: - Templates and scripts

extension SiteWords {
    private static let comingSoon = "Coming soon"

    /// The words of the templates around each page.
    static let layoutTemplates: [String: [String: String]] = [
        "layout": [
            "skip": "Skip to the content",
            "site": name,
            "apps": "Apps",
            "soon": comingSoon,
            "tip": "Tip for new users",
            "dismiss": "Got it",
            "storage": "Meanwhile stores your data on the computer that it runs on.",
            "data": "Your data and backups",
            "api": api,
            "person": "Signed in as {{person}}",
            "guests": "The owner shares this with you by a link.",
        ],
        "problem": [
            "form": "Your browser’s Back button returns to the form, with what you entered.",
            "back": "Go to {{backName}}",
        ],
    ]

    /// The words of the home page’s template.
    static let homeTemplates: [String: [String: String]] = [
        "home": [
            "title": "Save web pages, draw with emoji, track your caffeine",
            "storage": "All your data is stored on the computer that runs Meanwhile.",
            "steps": "First steps",
            "done": "Done",
            "added": "Sample data added.",
            "offer": "Want to look around first? Add sample data: {{samples}}. You can remove it again.",
            "add": "Add sample data",
            "soon": comingSoon,
            "removed": "Sample data removed.",
            "present": "Sample data was added: {{samples}}.",
            "remove": "Remove sample data",
        ]
    ]

    /// The words of the site’s own scripts, which import them from `words.js`.
    ///
    /// A text with a tag becomes a function there.
    static let scripts: [String: String] = [
        "connectionLost": "Connection lost. Reconnecting…",
        "noResponse": "The server didn't respond",
        "noResponseDetail": "Your change may not have been saved. Check that the server is running, then try again.",
        "fileSent": "{{percent}}% sent",
        "waitingForAnswer": "Sent. The server is reading the file…",
        "stopSending": "Stop",
        "somethingWrong": "Something went wrong",
        "waitingChanges":
            "Changes that haven’t been sent to the server yet: {{count}}. If you sign out now, they are lost.",
        "copiedLink": "Copied.",
        "linkNotCopied": "The browser doesn’t allow copying. Select the link and copy it with the keyboard.",
        "signOutAnyway": "Sign out anyway",
        "copied": "Copied",
        "failedWithStatus": "The server responded with status {{status}}. Reload the page and try again.",
    ]
}
