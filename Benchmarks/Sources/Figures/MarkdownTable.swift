/// A Markdown table, aligned so that its source is readable.
package struct MarkdownTable: CustomStringConvertible {
    private var rows: [[String]]

    /// - Parameter columns: The columns' titles. The first column has text, the others have numbers.
    package init(columns: [String]) {
        self.rows = [columns]
    }

    package mutating func add(_ cells: [String]) {
        rows.append(cells)
    }

    package var description: String {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        var lines = rows.map { row in
            let cells = zip(row, widths).enumerated().map { column, cell in
                let space = String(repeating: " ", count: cell.1 - cell.0.count)
                return column == 0 ? cell.0 + space : space + cell.0
            }
            return "| " + cells.joined(separator: " | ") + " |"
        }
        let rule = widths.enumerated().map { column, width in
            String(repeating: "-", count: column == 0 ? width + 2 : width + 1) + (column == 0 ? "" : ":")
        }
        lines.insert("|" + rule.joined(separator: "|") + "|", at: 1)
        return lines.joined(separator: "\n") + "\n"
    }
}
