extension Palette {
    /// The palettes of a store in which nothing is kept yet: those of the course.
    ///
    /// They have the same numbers each time they are made, so that what a page shows of them is still there when the program
    /// was started anew, and what two tabs do to them at once can be told apart.
    ///
    /// - Parameter firstID: The number of the first; each store has others.
    /// - Returns: Nine palettes.
    static func builtins(firstID: Int) -> [Palette] {
        builtins.enumerated().map { offset, palette in palette.renumbered(firstID + offset) }
    }

    private static let builtins = course.map { name, emojis in
        Palette(tolerating: 0, name: name, emojis: EmojiText.emojis(in: emojis))
    }

    private static let course = [
        (name: "Vehicles", emojis: "🚙🚗🚘🚕🚖🏎🚚🛻🚛🚐🚓🚔🚑🚒🚀✈️🛫🛬🛩🚁🛸🚲🏍🛶⛵️🚤🛥🛳⛴🚢🚂🚝🚅🚆🚊🚉🚇🛺🚜"),
        (name: "Sports", emojis: "🏈⚾️🏀⚽️🎾🏐🥏🏓⛳️🥅🥌🏂⛷🎳"),
        (name: "Music", emojis: "🎼🎤🎹🪘🥁🎺🪗🪕🎻"),
        (
            name: "Animals",
            emojis: "🐥🐣🐂🐄🐎🐖🐏🐑🦙🐐🐓🐁🐀🐒🦆🦅🦉🦇🐢🐍🦎🦖🦕🐅🐆🦓🦍🦧🦣🐘🦛🦏🐪🐫🦒🦘🦬🐃🐕🐩🦮🐈🦤🦢🦩🕊🦝🦨🦡🦫🦦🦥🐿🦔"
        ),
        (name: "Animal Faces", emojis: "🐵🙈🙊🙉🐶🐱🐭🐹🐰🦊🐻🐼🐻‍❄️🐨🐯🦁🐮🐷🐸🐲"),
        (name: "Flora", emojis: "🌲🌴🌿☘️🍀🍁🍄🌾💐🌷🌹🥀🌺🌸🌼🌻"),
        (name: "Weather", emojis: "☀️🌤⛅️🌥☁️🌦🌧⛈🌩🌨❄️💨☔️💧💦🌊☂️🌫🌪"),
        (name: "COVID", emojis: "💉🦠😷🤧🤒"),
        (
            name: "Faces",
            emojis: "😀😃😄😁😆😅😂🤣🥲☺️😊😇🙂🙃😉😌😍🥰😘😗😙😚😋😛😝😜🤪🤨🧐🤓😎🥸🤩🥳😏😞😔😟😕🙁☹️😣😖😫😩🥺😢😭😤😠😡🤯😳🥶😥😓🤗🤔🤭🤫🤥😬🙄😯😧🥱😴🤮"
        ),
    ]
}
