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

    /// The words of each template, which contains them as `{{word.key}}`.
    package static let templates: [String: [String: String]] = [
        "answers": [
            "another": "Another drink",
            "latest": "Latest time for a drink",
            "others": "Latest times for other drinks",
            "limit": "Daily limit",
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
            "now": "Caffeine now",
            "later": "Add with another time or amount",
            "drink": "Drink",
            "milligrams": caffeineField,
            "usual": "Usual amount",
            "add": "Add drink",
            "drinks": "Today’s drinks",
            "chart": "Last and next 24 hours",
            "scrub": "Time on the chart",
            "answers": "Answers",
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
    package static let scripts: [String: String] = [
        "hint": "Point at the chart or move the slider to see the level at any time.",
        "levelAt": "{{time}} · {{level}} mg{{range}}{{shares}}",
        // Within `levelAt`.
        "levelRange": " ({{low}} to {{high}})",
        "addOwnDrink": "Add it as your own drink",
        "noDrink": "No “{{name}}”. ",
        "timesAreIn": "Times are in {{zone}}.",
        "useThisZone": "Use {{zone}}",
        "zoneUnchanged": "Couldn't change the time zone. Try {{zone}} again",
    ]
}
