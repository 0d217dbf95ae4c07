import Mustache

/// A value of a template whose properties are found by name in constant time.
///
/// The engine itself searches a value's properties by reflection for each tag, which takes four fifths of the time of
/// rendering a list.
struct RenderedValue: MustacheParent {
    private let properties: [String: Any]

    func child(named name: String) -> Any? { properties[name] }

    /// The form of a value in which a template is rendered.
    ///
    /// - Parameter value: A value of a template.
    /// - Returns: Values with properties in place of structures and of a sequence's structures, and any other value as it is;
    ///   `nil` for an empty optional.
    static func of(_ value: Any) -> Any? {
        // A cast also unwraps an optional value.
        switch value {
        case let text as String: return text
        case let isTrue as Bool: return isTrue
        case let number as any BinaryInteger: return number
        case let array as [Any]: return array.map { of($0) ?? $0 }
        case let parent as any MustacheParent: return parent
        case let special as any MustacheTransformable: return special
        case let special as any MustacheCustomRepresentation: return special
        default: break
        }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional: return mirror.children.first.flatMap { of($0.value) }
        case .struct where !(value is any CustomStringConvertible): break
        default: return value
        }
        var properties: [String: Any] = [:]
        for (label, child) in mirror.children {
            if let label, let child = of(child) { properties[label] = child }
        }
        return RenderedValue(properties: properties)
    }
}
