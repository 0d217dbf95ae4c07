/// Writes the text format of Prometheus.
struct PrometheusText: CustomStringConvertible {
    private struct Family {
        var kind: PrometheusKind
        var description: String?
        /// The lines of each series, by its labels: a series may occur only once.
        var series: [String: String] = [:]
    }

    private let descriptions: [String: String]
    private var families: [String: Family] = [:]

    init(descriptions: [String: String]) {
        self.descriptions = descriptions
    }

    mutating func add(_ sample: PrometheusSample) {
        let name = Self.name(sample.name, suffix: "")
        add(name, sample.kind, Self.labels(sample.labels), [("", nil, sample.value)], description: sample.description)
    }

    mutating func add(
        _ name: String, _ kind: PrometheusKind, _ labels: [PrometheusLabel],
        _ values: [(suffix: String, bucket: Double?, value: Double)], description: String? = nil
    ) {
        var family = families[name] ?? Family(kind: kind, description: descriptions[name] ?? description)
        guard family.kind == kind else { return }
        let lines = values.map { suffix, bucket, value in
            let labels = labels + (bucket.map { [PrometheusLabel(name: "le", value: Self.number($0))] } ?? [])
            return "\(name)\(suffix)\(Self.text(of: labels)) \(Self.number(value))\n"
        }
        family.series[Self.text(of: labels)] = lines.joined()
        families[name] = family
    }

    var description: String {
        families.sorted { $0.key < $1.key }.map { name, family in
            let help = family.description.map { "# HELP \(name) \(Self.escaped($0, quotes: false))\n" } ?? ""
            let lines = family.series.sorted { $0.key < $1.key }.map(\.value).joined()
            return "\(help)# TYPE \(name) \(family.kind.rawValue)\n\(lines)"
        }.joined()
    }
}

extension PrometheusText {
    /// A name of a metric: any character but ASCII letters, digits, `_` and `:` becomes `_`.
    static func name(_ label: String, suffix: String) -> String {
        let name = permitted(label, besides: "_:")
        return name.hasSuffix(suffix) ? name : name + suffix
    }

    /// The labels in the order of their names, each name once.
    static func labels(_ dimensions: [(String, String)]) -> [PrometheusLabel] {
        var values: [String: String] = [:]
        for (name, value) in dimensions { values[permitted(name, besides: "_")] = value }
        return values.sorted { $0.key < $1.key }.map { PrometheusLabel(name: $0.key, value: $0.value) }
    }

    private static func permitted(_ text: String, besides others: String) -> String {
        let name = String(
            text.unicodeScalars.map { scalar -> Character in
                let isPermitted =
                    scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
                    || others.unicodeScalars.contains(scalar)
                return isPermitted ? Character(scalar) : "_"
            })
        return name.unicodeScalars.first.map { ("0"..."9").contains($0) } ?? true ? "_" + name : name
    }

    private static func text(of labels: [PrometheusLabel]) -> String {
        guard !labels.isEmpty else { return "" }
        return "{" + labels.map { "\($0.name)=\"\(escaped($0.value, quotes: true))\"" }.joined(separator: ",") + "}"
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return Int64(exactly: value).map(String.init) ?? "\(value)"
    }
}
