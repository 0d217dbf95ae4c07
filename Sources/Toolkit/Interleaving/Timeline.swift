/// A page that shows a schedule: a row for each step, and a lane for each task.
struct Timeline {
    private let exploration: Exploration
    private let steps: [Trace.Step]
    private let lanes: [Int]
    private let actors: [String]
    /// The distance between two lanes, in pixels.
    private let laneWidth: Int

    init(_ exploration: Exploration) {
        self.exploration = exploration
        self.steps = exploration.trace.steps
        self.lanes = Array(Set(steps.map(\.task))).sorted()
        var actors: [String] = []
        for actor in steps.compactMap(\.actor) where !actors.contains(actor) { actors.append(actor) }
        self.actors = actors
        self.laneWidth = max(9, min(24, 200 / max(lanes.count, 1)))
    }

    /// The page, which needs no other file.
    var html: String {
        """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(Self.escaped(title))</title>
        <style>\(Self.style(laneWidth: laneWidth))</style>
        <header>
        <p class="place">\(Self.escaped(exploration.place.map { "\($0)" } ?? ""))</p>
        <h1>\(Self.escaped(exploration.outcome.summary))</h1>
        <p class="facts">after \(exploration.schedules) schedule\(exploration.schedules == 1 ? "" : "s") ·
        \(Self.count(steps.count { $0.isInterruption }, "interruption")) · \(Self.count(lanes.count, "task")) ·
        seed \(exploration.seed)</p>
        \(exploration.replayCommand.map { "<pre>\(Self.escaped($0))</pre>" } ?? "")
        </header>
        <main>
        \(legend)
        <ol class="steps">
        \(rows)
        </ol>
        \(stuck)
        </main>
        <section><h2>In sentences</h2><ol class="story">
        \(exploration.story.map { "<li>\(Self.withCode($0))</li>" }.joined(separator: "\n"))
        </ol></section>
        \(exploration.output.isEmpty ? "" : "<section><h2>Printed</h2><pre>\(Self.escaped(exploration.output))</pre></section>")
        </html>

        """
    }

    private var title: String {
        [exploration.place?.test, exploration.outcome.summary].compactMap(\.self).joined(separator: ": ")
    }

    private var legend: String {
        guard !actors.isEmpty else { return "" }
        let chips = actors.indices.map {
            "<span class=\"chip a\($0 % Self.colours)\">\(Self.escaped(actors[$0]))</span>"
        }
        return "<p class=\"legend\">Actors: \(chips.joined(separator: " "))</p>"
    }

    private var stuck: String {
        switch exploration.outcome {
        case .hung(let tasks), .leaked(let tasks):
            "<ul class=\"stuck\">" + tasks.map { "<li>\(Self.escaped("\($0)"))</li>" }.joined() + "</ul>"
        case .passed, .failed, .stepLimit, .nondeterministic: ""
        }
    }
}

// MARK: - Rows

extension Timeline {
    private var rows: String {
        var rows: [String] = []
        var time = Duration.zero
        for (index, step) in steps.enumerated() {
            if step.time > time {
                rows.append("<li class=\"pause\">\(graph(between: index))<p>\(step.time - time) later</p></li>")
                time = step.time
            }
            rows.append(row(index, step))
        }
        let ending = exploration.story.last ?? ""
        let end = lanes.map { "<i class=\"lane\($0 == steps.last?.task ? " last" : "")\"></i>" }.joined()
        rows.append("<li class=\"end\"><div class=\"graph\">\(end)</div><p>\(Self.withCode(ending))</p></li>")
        return rows.joined(separator: "\n")
    }

    private func row(_ index: Int, _ step: Trace.Step) -> String {
        let colour = step.actor.flatMap { actors.firstIndex(of: $0) }.map { " a\($0 % Self.colours)" } ?? ""
        let origin = step.isFirst ? exploration.trace.origins[step.task]?.suffix ?? "" : ""
        var text = "<b>task \(step.task)</b>\(Self.escaped(origin)) \(Self.escaped(step.action))"
        if let line = step.line {
            text += " <span class=\"line\" title=\"\(Self.escaped(line.path))\">\(Self.escaped("\(line)"))</span>"
            if let code = line.text, !code.isEmpty { text += "<code>\(Self.escaped(code))</code>" }
        }
        var notes: [String] = []
        if step.isInterruption, index > 0 {
            notes.append("<em class=\"interrupts\">task \(steps[index - 1].task) could go on</em>")
        }
        if !step.resumes.isEmpty { notes.append("→ \(Story.tasks(step.resumes))") }
        if !step.cancels.isEmpty { notes.append("cancels \(Story.tasks(step.cancels))") }
        if step.isCancelled { notes.append("is cancelled") }
        if step.isLast { notes.append("ends") }
        if let other = step.waitsFor { notes.append("waits for task \(other)") }
        if !notes.isEmpty { text += "<small>\(notes.joined(separator: " · "))</small>" }
        let isSwitch = index > 0 && steps[index - 1].task != step.task
        return """
            <li class="step\(isSwitch ? " switch" : "")\(step.isInterruption ? " interruption" : "")">\
            \(graph(at: index, step, colour))<p class="\(colour)">\(text)</p></li>
            """
    }

    /// The lanes of a step's row, with a dot in the lane of its task, and arrows to the tasks that it resumes.
    private func graph(at index: Int, _ step: Trace.Step, _ colour: String) -> String {
        guard let own = lanes.firstIndex(of: step.task) else { return "" }
        var parts = lanes.map { task -> String in
            var classes = ["lane"]
            if let (first, last) = life(of: task), first <= index, index <= last {
                classes.append("alive")
                if first == index { classes.append("first") }
                if last == index { classes.append("final") }
            }
            return task == step.task
                ? "<i class=\"\(classes.joined(separator: " ")) dot\(colour)\"></i>"
                : "<i class=\"\(classes.joined(separator: " "))\"></i>"
        }
        for task in step.resumes {
            guard let other = lanes.firstIndex(of: task), other != own else { continue }
            let left = min(own, other) * laneWidth + laneWidth / 2
            let width = abs(own - other) * laneWidth
            let direction = other > own ? "right" : "left"
            parts.append("<u class=\"\(direction)\" style=\"left:\(left)px;width:\(width)px\"></u>")
        }
        return "<div class=\"graph\">\(parts.joined())</div>"
    }

    private func graph(between index: Int) -> String {
        let parts = lanes.map { task -> String in
            guard let (first, last) = life(of: task), first < index, index <= last else {
                return "<i class=\"lane\"></i>"
            }
            return "<i class=\"lane alive\"></i>"
        }
        return "<div class=\"graph\">\(parts.joined())</div>"
    }

    /// The indices of a task's first and last step: the first is that in which it becomes ready.
    private func life(of task: Int) -> (first: Int, last: Int)? {
        guard let own = steps.firstIndex(where: { $0.task == task }),
            let end = steps.lastIndex(where: { $0.task == task })
        else {
            return nil
        }
        let start = steps[..<own].firstIndex { $0.resumes.contains(task) } ?? own
        return (start, steps[end].isLast ? end : steps.count)
    }
}

// MARK: - Style

extension Timeline {
    private static let colours = 8

    private static func style(laneWidth: Int) -> String {
        let hues = [212, 28, 140, 280, 340, 180, 55, 0]
        let light = hues.enumerated().map { "--a\($0):hsl(\($1) 70% 42%)" }.joined(separator: ";")
        let dark = hues.enumerated().map { "--a\($0):hsl(\($1) 75% 66%)" }.joined(separator: ";")
        let actors = hues.indices.map { ".a\($0){--c:var(--a\($0))}" }.joined()
        return """
            :root{color-scheme:light dark;--back:#fff;--text:#1b1b1f;--faint:#62626b;--rule:#d8d8de;--soft:#f4f4f7;\
            --bad:#b3261e;--warm:#8a5200;--warmback:#fff3dc;\(light)}
            @media(prefers-color-scheme:dark){:root{--back:#17171b;--text:#ececf0;--faint:#a3a3ad;--rule:#3a3a43;\
            --soft:#222228;--bad:#ff8a80;--warm:#ffcc80;--warmback:#3a2c12;\(dark)}}
            *{box-sizing:border-box}
            body{margin:0 auto;max-width:60rem;padding:1rem;background:var(--back);color:var(--text);\
            font:1rem/1.45 system-ui,sans-serif}
            h1{font-size:1.35rem;margin:.1rem 0;color:var(--bad);overflow-wrap:anywhere}h2{font-size:1.05rem;margin:2rem 0 .5rem}
            .place,.facts{margin:0;color:var(--faint);font-size:.9rem;overflow-wrap:anywhere}
            pre{background:var(--soft);padding:.6rem .8rem;border-radius:.5rem;overflow-x:auto;font-size:.85rem}
            code{font-family:ui-monospace,monospace;font-size:.86em;overflow-wrap:anywhere}
            \(actors)
            .legend{margin:.8rem 0;font-size:.9rem}.chip{border-left:.7rem solid var(--c);padding:0 .5rem 0 .35rem;white-space:nowrap}
            .steps{list-style:none;margin:0;padding:0}
            .steps li{display:flex;gap:.7rem}
            .steps p{margin:0;padding:.28rem 0 .28rem .6rem;flex:1;min-width:0;border-left:4px solid var(--c,transparent);\
            overflow-wrap:anywhere}
            .step code{display:block}.step small{display:block;color:var(--faint)}
            .step.switch p{border-top:1px solid var(--rule)}
            .line{color:var(--faint);font-size:.85rem;white-space:nowrap}
            .interruption p{background:var(--warmback)}.interrupts{color:var(--warm);font-style:normal;font-weight:600}
            .pause p{color:var(--faint);font-style:italic;text-align:center;background:var(--soft)}
            .end p{color:var(--bad);font-weight:600;padding-top:.6rem}
            .graph{position:relative;display:flex;flex:none}
            .lane{position:relative;width:\(laneWidth)px}
            .alive::before{content:"";position:absolute;left:50%;top:0;bottom:0;border-left:2px solid var(--rule);\
            transform:translateX(-1px)}
            .first::before{top:1rem}.final::before{bottom:calc(100% - 1rem)}
            .dot::after{content:"";position:absolute;left:50%;top:1rem;width:\(min(laneWidth, 14))px;height:\(min(laneWidth, 14))px;\
            border-radius:50%;background:var(--c,var(--faint));transform:translate(-50%,-50%)}
            u{position:absolute;top:1rem;border-top:2px solid var(--faint);transform:translateY(-1px);z-index:-1}
            u::after{content:"";position:absolute;top:-5px;border:4px solid transparent}
            .right::after{right:0;border-left:6px solid var(--faint);border-right:0}
            .left::after{left:0;border-right:6px solid var(--faint);border-left:0}
            .stuck li{overflow-wrap:anywhere}
            .story{padding-left:1.6rem}.story li{margin:.25rem 0;overflow-wrap:anywhere}
            """
    }

    private static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Escapes a sentence, and shows what is in backticks as code.
    private static func withCode(_ sentence: String) -> String {
        let parts = sentence.split(separator: "`", omittingEmptySubsequences: false)
        return parts.enumerated().map { index, part in
            let isCode = !index.isMultiple(of: 2) && index + 1 < parts.count
            return isCode ? "<code>\(escaped(String(part)))</code>" : escaped(String(part))
        }.joined()
    }
}

extension Exploration {
    /// A page with the timeline of the failing schedule, as HTML that needs no other file; `nil` if all schedules passed.
    public var timeline: String? {
        trace.steps.isEmpty ? nil : Timeline(self).html
    }

    /// The name of the timeline's file: the test or the place, and a hash of the report.
    var timelineName: String {
        // FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in "\(outcome.summary)\(replayCode ?? "")\(seed)".utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x0100_0000_01b3
        }
        let digits = String(hash & 0xffff_ffff, radix: 16)
        let name = place.map { place in
            place.test.map { String($0.prefix { $0 != "(" }) } ?? "\(place)"
        }
        let readable = (name ?? "exploration").map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
        return "\(String(readable))-\(digits).html"
    }
}
