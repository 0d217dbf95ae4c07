// The words of templates and scripts.

extension CoffeeWords {
    private static let drinkSaved = "Drink saved."
    private static let undone = "Undone."
    private static let undo = "Undo"
    private static let show = "Show"
    private static let edit = "Edit"
    private static let delete = "Delete"
    private static let cancel = "Cancel"
    private static let save = "Save"
    private static let nameField = "Name"
    private static let emojiField = "Emoji"
    private static let showAsTable = "Show as table"
    private static let caffeineNow = "Caffeine now"
    private static let chartTitle = "Last and next 24 hours"
    private static let answersTitle = "Answers"
    private static let latestTitle = "Latest time for a drink"
    private static let dailyLimitTitle = "Daily limit"

    /// The words of each template, which contains them as `{{word.key}}`.
    package static let templates: [String: [String: String]] = [
        "answers": [
            "another": "Another drink",
            "latest": latestTitle,
            "others": "Latest times for other drinks",
            "limit": dailyLimitTitle,
        ],
        "catalogue": [
            "drinks": drinks,
            "saved": drinkSaved,
            "name": nameField,
            "emoji": emojiField,
            "milligrams": caffeineField,
            "save": "Save drink",
            "cancel": cancel,
            "favourite": "Favourite: {{name}}",
            "edit": edit,
            "editLabel": "Edit {{name}}",
            "delete": delete,
            "deleteLabel": "Delete {{name}}",
        ],
        "chart": [
            "label": "Caffeine level over two days",
            "level": "Level",
            "limit": "Your bedtime limit",
            "table": showAsTable,
            "tableLabel": "Levels as a table",
            "time": "Time",
            "range": "Range",
            "byDrink": "By drink",
        ],
        "complications": [
            "title": complications,
            "intro": """
            Your caffeine level for watch faces and widgets: a picture and a JSON file for each family of Apple \
            Watch complications.
            """,
            "scale": "The level is {{scale}}.",
            "svg": "SVG",
            "svgLabel": "{{title}}, SVG",
            "json": "JSON",
            "jsonLabel": "{{title}}, JSON",
            "updates": "Updates",
            "entries": """
            A program may store a picture or a JSON file until the next timeline entry begins, at {{> expires}}. \
            Entries begin every five minutes, and when your day begins.
            """,
            "changes": """
            After a change, such as a new drink, a stored copy can be out of date until then. To show the change \
            at once, a program follows {{> events}} and requests the file again with {{> revalidation}}; it gets \
            an empty response with the status 304 if nothing has changed. This page shows each change at once.
            """,
        ],
        "drink": [
            "edit": edit,
            "editLabel": "Edit {{label}}",
            "again": "Add again",
            "againLabel": "Add again: {{name}}",
            "delete": delete,
            "deleteLabel": "Delete {{label}}",
        ],
        "drinks": [
            "nothing": noDrinksYet,
            "sharing": "Other programs can use your drinks, if you allow it on the page {{> sharing}}.",
            "dismiss": "Got it",
        ],
        "edit": [
            "title": "Edit {{name}}",
            "saved": drinkSaved,
            "name": nameField,
            "emoji": emojiField,
            "milligrams": caffeineField,
            "save": save,
            "cancel": cancel,
        ],
        "head": [
            "app": name,
            "important": "Important",
        ],
        "health": [
            "title": healthData,
            "intro": """
            Coffee Tracker can share your drinks with other programs through the health data on this server. \
            Choose what each program may write and read. A program that isn’t allowed to read can’t tell whether \
            there is any data.
            """,
            "unavailable": "Health data isn’t available",
            "onlyHere": "Your drinks are saved only in Coffee Tracker.",
            "allow": "Allow",
        ],
        "history": [
            "title": history,
            "period": "Period",
            "earlier": "Earlier",
            "later": "Later",
            "bars": "{{summary}} The table below has all values.",
            "table": showAsTable,
            "tableLabel": "History as a table",
            "caffeine": caffeine,
            "cups": "Cups",
            "drinks": drinks,
            "download": "Download all drinks as CSV",
        ],
        "now": [
            "unit": "mg",
            "later": "then {{laterWord}}",
            "today": today,
            "time": "Time",
            "dismiss": "Dismiss",
        ],
        "offline": [
            "title": name,
            "loading": "Opening…",
            "scripts": "Coffee Tracker needs JavaScript to work without a connection.",
            "now": caffeineNow,
            "add": addDrink,
            "drinks": "Drinks of the last 24 hours",
            "chart": chartTitle,
            "answers": answersTitle,
            "latest": latestTitle,
            "limit": dailyLimitTitle,
        ],
        "quick": [
            "add": addDrink,
            "size": "Size",
            "all": "All drinks",
            "find": "Find a drink",
            "own": "Your own drinks and favourites",
        ],
        "settings": [
            "title": settings,
            "saved": "Settings saved.",
            "day": "Your day",
            "dayStart": dayStartField,
            "dayStartHint": "Drinks before this time count towards the previous day.",
            "bedtime": bedtimeField,
            "zone": "Time zone",
            "you": "About you",
            "threshold": thresholdField,
            "thresholdHint":
                "The most caffeine in your body at bedtime that still lets you sleep well. 30 to 35 mg is common.",
            "halfLife": halfLifeField,
            "group": "Daily limit for",
            "weight": weightField,
            "dailyLimit": dailyLimitField,
            "dailyLimitHint": "Leave empty for the limit of your group.",
            "units": "Units",
            "clock": "Clock",
            "volumes": "Volumes",
            "calculation": "Calculation",
            "amounts": "Caffeine amounts",
            "save": save,
            "complications": "Complications for a watch face",
            "install": "On your phone, and without a connection",
            "installHow": """
            Install Coffee Tracker by your browser’s menu: “Install” or “Add to Home Screen”. It then opens without a \
            connection, shows your level, and sends the drinks that you log when the server answers again.
            """,
            "installPhone": """
            A phone needs an https address for that. Put the server behind a proxy or tunnel with a certificate, such \
            as Caddy, and start it with the public address: --origin https://pages.example.com. The server’s guide \
            describes it under “Behind a proxy or tunnel”.
            """,
        ],
        "sharing": [
            "health": health
        ],
        "toast": [
            "undone": undone,
            "show": show,
            "undo": undo,
        ],
        "today": [
            "title": name,
            "now": caffeineNow,
            "later": "Add with another time or amount",
            "drink": "Drink",
            "milligrams": caffeineField,
            "usual": "Usual amount",
            "add": "Add drink",
            "drinks": "Today’s drinks",
            "chart": chartTitle,
            "scrub": "Time on the chart",
            "answers": answersTitle,
        ],
        "undo": [
            "undone": undone,
            "show": show,
            "undo": undo,
        ],
        "when": [
            "day": "Day",
            "time": "Time",
            "sip": sipField,
        ],
    ]

    /// The words of the scripts, which import them from `words.js`.
    ///
    /// A text with a tag is a function there.
    package static let scripts = pages.merging(offline) { $1 }

    /// The words of the script of all pages.
    private static let pages: [String: String] = [
        "hint": "Point at the chart or move the slider to see the level at any time.",
        "levelAt": "{{time}} · {{level}} mg{{range}}{{shares}}",
        // Within `levelAt`.
        "levelRange": " ({{low}} to {{high}})",
        "addOwnDrink": "Add it as your own drink",
        "noDrink": "No “{{name}}”. ",
        "timesAreIn": "Times are in {{zone}}.",
        "useThisZone": "Use {{zone}}",
        "zoneUnchanged": "Couldn't change the time zone. Try {{zone}} again",
        "drinksWait": "Drinks that you logged without a connection wait to be sent.",
        "showWaiting": "Show them",
    ]

    /// The words of the page that works without a connection, many of which the server's pages have, too.
    private static let offline: [String: String] = [
        "nothingStored": "The server doesn’t answer. Open Coffee Tracker once while it does: then this page works too.",
        "noWebAssembly": "This browser can’t show your level without the server, because WebAssembly is off.",
        "offlineNow": "The server doesn’t answer. You can log drinks: they are sent when it does.",
        "noAnswer": "The server doesn’t answer.",
        "onlineAgain": "The server answers. All drinks are saved.",
        "sending": "Saving…",
        "oneWaits": "One change waits to be sent.",
        "severalWait": "{{count}} changes wait to be sent.",
        "oneRefused": "One drink couldn’t be saved. Change or delete it.",
        "severalRefused": "{{count}} drinks couldn’t be saved. Change or delete them.",
        "notStored": "This browser can’t store it: closing the tab may lose it.",
        "asOf": "Your other drinks are as of {{time}}.",
        "tryAgain": "Try again",
        "showFullPage": "Show the full page",
        "waits": "waits to be sent",
        "notSaved": "not saved",
        "deleteDrink": delete,
        "editAmount": "Caffeine of {{name}} (mg)",
        "saveAmount": save,
        "minutesAgo": "Minutes ago",
        "amountFault": "Enter an amount of 0 to \(Int(Drink.maximumMilligrams)) mg.",
        "timeFault": "That time is in the future or too long ago. Enter another one.",
        "drinkFault": "This drink can’t be logged.",
        "outboxFull": "Too many drinks wait to be sent. Log more when the server answers again.",
        "drinkGone": "That drink was deleted in another tab.",
        "noDrinksYet": noDrinksYet,
        "lowWord": low,
        "moderateWord": moderate,
        "highWord": high,
        "milligrams": milligrams("{{number}}"),
        "cupsToday": "Cups of coffee today: {{cups}} ({{amount}})",
        "inBodyNow": "in your body now{{range}}{{rise}}.",
        "about": about("{{low}}", to: "{{high}}"),
        "rising": rising(to: "{{amount}}", word: nil, by: "{{time}}"),
        "chartLabel": "Caffeine level over two days",
        "whenBelow": whenBelow("{{amount}}"),
        "whenBelowAgain": whenBelowAgain("{{amount}}"),
        "answerNow": answerNow,
        "staysBelow": staysBelow,
        "forMostPeople": "For most people, it is between {{early}} and {{late}}.",
        "ifIGoToBedNow": ifIGoToBedNow,
        "atBedtime": atBedtime("{{time}}"),
        "belowLimit": below(bedtimeLimit(of: "{{limit}}")),
        "atLimit": at(bedtimeLimit(of: "{{limit}}")),
        "overLimit": over(bedtimeLimit(of: "{{limit}}"), by: "{{amount}}"),
        "howMuchNow": howMuchNow,
        "nothing": nothing,
        "keepsBelow": keepsBelow(bedtimeLimit(of: "{{limit}}", "{{night}}")),
        "overLimitButAsleep": overLimitButAsleep,
        "overBedtimeLimit": overBedtimeLimit("{{night}}"),
        "overDailyLimit": overDailyLimit(of: "{{amount}}"),
        "reachedDailyLimit": reachedDailyLimit(of: "{{amount}}"),
        "ifYouGoToBedNow": ifYouGoToBedNow,
        "atTime": atTime("{{time}}"),
        "tooLate": tooLate,
        "overTheDailyLimit": overTheDailyLimit,
        "anyTime": anyTime,
        "guidance": guidance("{{number}}", of: "{{amount}}", limit: "{{limit}}"),
        "overDailyLimitBy": overDailyLimit(by: "{{amount}}"),
    ]
}
