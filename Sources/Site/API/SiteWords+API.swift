// What the API and its pages say.

extension SiteWords {
    static let api = "API for scripts"
    static let tokens = "API tokens"
    static let tokenNeeded = "This request needs a valid token"
    static let tokenNeededDetail = """
        Send a token in the header “Authorization: Bearer TOKEN”. Make one at /account/tokens, or with the command meanwhile \
        token add.
        """
    static let wrongToken = """
        The token is unknown, was removed or has expired. Make a new one at /account/tokens, or with the command meanwhile \
        token add.
        """
    static let wrongScopeTitle = "The token doesn’t allow this"
    static let notJSON = "The body isn’t JSON"
    static func oneOf(_ values: [String]) -> String { "It is one of \(values.joined(separator: ", "))." }
    static let notJSONDetail = "Send JSON with the header “Content-Type: application/json”."
    static let wrongJSON = "The JSON has another shape than expected"
    static let notADate = "This isn’t a moment such as 2026-11-28T08:30:00Z."
    static let valueMissing = "A value is missing."
    static let wrongType = "The value has another type than expected."
    static let changedMeanwhileTitle = "It was changed meanwhile"
    static let changedMeanwhile = """
        The version that the header If-Match names isn’t the current one. Nothing was changed. Read it again.
        """
    static let wrongParameterTitle = "Check the parameters"
    static let unknownParameter = "There is no such parameter."
    static let repeatedParameter = "The parameter may occur only once."
    static let trueOrFalse = "true or false"
    static let moment = "a moment such as 2026-11-28T08:30:00Z"
    static let cursor = "the property next of the part before"
    static let keyTitle = "Check the Idempotency-Key"
    static let unfinishedKey = """
        A request with this key has begun, and its outcome isn’t known: it is running, or the server was stopped meanwhile. \
        Repeat it in a moment. If this persists, find out whether it was performed, then use a new key.
        """
    static let otherKey = "Another request had this key. Nothing was changed. Use a new key for each request."
    static let accountChanges = "Check the token"

    static func wrongScope(_ scope: String) -> String {
        "The token lacks the scope \(scope). Nothing was changed. Use a token with this scope."
    }
    static func field(_ name: String, _ detail: String) -> String { "\(name): \(detail)" }
    static func parameterTakes(_ form: String) -> String { "It takes \(form)." }
    static func number(to maximum: Int) -> String { "a number from 1 to \(maximum)" }
    static func invalidKey(_ maximum: Int) -> String {
        "A key has 1 to \(maximum) visible characters of ASCII, without spaces."
    }
    static func days(_ count: Int) -> String {
        switch count {
        case 365: "1 year"
        default: "\(count) days"
        }
    }

    /// The words of the template of the page about the API.
    static let apiTemplates: [String: [String: String]] = [
        "api": [
            "intro": "Scripts and other programs can do what the pages of the apps can do.",
            "token": "Each request needs a token.",
            "tokens": "Make a token",
            "description": "All requests and responses are described by OpenAPI 3.1.",
            "openAPI": "Open the description",
            "errors": "Errors are problems in JSON, as in RFC 9457.",
            "repeat": """
            A POST with the header Idempotency-Key can be repeated: within a day, it is performed once.
            """,
            "example": """
            curl -H "Authorization: Bearer $MEANWHILE_TOKEN" http://127.0.0.1:8080/api/v1/library/pages
            """,
            "routes": "Requests",
        ]
    ]

    /// The words of the template of the page with tokens.
    static let tokenTemplates: [String: [String: String]] = [
        "tokens": [
            "intro": """
            With a token, a script or another program uses your apps without your password, as far as you allow.
            """,
            "routes": "What scripts can do",
            "new": "Your new token",
            "shownOnce": "Copy it now. It is shown only once.",
            "copy": "Copy",
            "valid": "Your tokens",
            "used": "Last used {{{html(used)}}}",
            "unused": "Never used",
            "expires": "Valid until {{{html(expires)}}}",
            "remove": "Remove",
            "removeNamed": "Remove {{name}}",
            "add": "Make a token",
            "name": "What is it for?",
            "nothing": "Nothing",
            "read": "Read",
            "write": "Read and change",
            "lifetime": "Valid for",
            "create": "Make token",
        ]
    ]
}
