import CoffeeTrackerModel
import Foundation

// What the chart's template is filled in with.

extension LevelChart {
    /// The values of `chart.mustache`.
    ///
    /// - Parameter words: How times are said, which also says when now is.
    /// - Returns: The values.
    func values(_ words: CoffeeWords) -> [String: Any] {
        var values: [String: Any] = [
            "height": Self.number(Self.height), "top": Self.number(Self.top), "plot": Self.number(Self.plotHeight),
            "foot": Self.number(Self.foot), "tick": Self.number(Self.foot + 5), "hourY": Self.number(Self.foot + 18),
            "momentY": Self.number(Self.foot + 33), "viewBox": viewBox, "band": band,
            "area": area(points.map(\.milligrams)), "line": line, "points": pointList,
            "start": "\(Int(start.timeIntervalSince1970))", "step": Self.number(step), "zone": zone.identifier,
            "ceiling": Self.number(ceiling), "nowPoint": "\(nowPoint)",
        ]
        values["levels"] = gridLevels.map { level in
            [
                "y": Self.number(pixels(level)), "textY": Self.number(pixels(level) - 4),
                "label": level == gridLevels.last ? "\(Self.short(level)) mg" : Self.short(level),
            ]
        }
        values["hours"] = hours.map { date, hour in
            let place = percent(date) ?? 0
            // Those at the edges would be cut off.
            let edge = place < 2 ? " first" : place > 98 ? " last" : ""
            return [
                "x": Self.number(place), "label": LocalTime.text(hour * 60),
                "kind": (hour.isMultiple(of: 12) ? "often" : hour.isMultiple(of: 6) ? "seldom" : "rare") + edge,
            ]
        }
        values["thresholdY"] = Self.number(pixels(threshold))
        values["thresholdTextY"] = Self.number(pixels(threshold) - 4)
        values["thresholdLabel"] = CoffeeWords.amount(threshold)
        values["stops"] = stops.filter { $0.milligrams <= ceiling }.map { stop in
            [
                "colour": stop.colour.rawValue, "y": Self.number(pixels(stop.milligrams)),
                "label": "\(stop.colour.word.capitalized) from \(CoffeeWords.amount(stop.milligrams))",
            ]
        }
        values["moments"] = moments
        values["nowX"] = Self.number(percent(words.now) ?? 50)
        values["nowY"] = Self.number(pixels(points[nowPoint].milligrams))
        values["marks"] = zip(marks, lifts).map { mark, lift in
            [
                "id": mark.id, "emoji": mark.emoji, "name": mark.name, "text": "\(mark.name), \(mark.text)",
                "tipName": mark.name, "tipText": mark.text, "shares": Self.list(mark.shares),
                "share": share(of: mark), "viewBox": viewBox, "x": Self.number(percent(mark.start) ?? 0),
                "y": Self.number(Self.foot - 14 - Double(lift) * 26), "top": Self.number(Self.top),
                "plot": Self.number(Self.plotHeight),
            ]
        }
        values["rows"] = rows(words)
        return values
    }

    private static var foot: Double { top + plotHeight }

    /// The point that is nearest to now.
    var nowPoint: Int {
        min(max(Int((now.timeIntervalSince(start) / step).rounded()), 0), points.count - 1)
    }

    /// Now and the bedtimes: where a word of one would stand in that of another, they stand back to back.
    private var moments: [[String: String]] {
        var moments = bedtimes.compactMap { date in percent(date).map { (place: $0, kind: "bedtime", label: "bed") } }
        moments.append((percent(now) ?? 50, "now", "now"))
        moments.sort { $0.place < $1.place }
        let room = 12.0
        return moments.indices.map { index in
            let place = moments[index].place
            let isTightBefore = index > 0 && place - moments[index - 1].place < room || place < 4
            let isTightAfter =
                index + 1 < moments.count && moments[index + 1].place - place < room || place > 96
            let side = isTightBefore ? "start" : isTightAfter ? "end" : "middle"
            return [
                "x": Self.number(place), "kind": moments[index].kind, "label": moments[index].label,
                "side": "side-\(side)",
            ]
        }
    }

    /// The same for who cannot see it: every second hour.
    private func rows(_ words: CoffeeWords) -> [[String: Any]] {
        let stride = max(Int(7200 / step), 1)
        return points.indices.filter { ($0 - nowPoint).isMultiple(of: stride) }.map { index in
            let point = points[index]
            let shares = marks.compactMap { mark in
                mark.shares[index] >= 0.5 ? "\(mark.name) \(Self.short(mark.shares[index]))" : nil
            }
            return [
                "time": words.when(start + step * Double(index)), "level": "\(Self.short(point.milligrams)) mg",
                "range": "\(Self.short(point.low)) to \(Self.short(point.high))",
                "shares": shares.isEmpty ? "–" : shares.joined(separator: ", "), "isNow": index == nowPoint,
            ]
        }
    }

    /// A number of the picture: with two digits after the point at most.
    private static func number(_ value: Double) -> String {
        CoffeeWords.trimmed((value * 100).rounded() / 100)
    }
}
