extension QRCode {
    /// How many light modules a reader needs around it (ISO/IEC 18004, 5.3.8).
    public static let quietZone = 4

    /// A picture in SVG, dark on light whatever surrounds it, with its quiet zone.
    ///
    /// - Parameter title: What somebody hears who can't see it.
    /// - Returns: The text of the SVG file.
    public func svg(title: String) -> String {
        let full = size + 2 * Self.quietZone
        var path = ""
        for row in 0..<size {
            var column = 0
            while column < size {
                let start = column
                while self[row, column] { column += 1 }
                if column > start {
                    path +=
                        "M\(start + Self.quietZone) \(row + Self.quietZone)h\(column - start)v1h-\(column - start)z"
                }
                column += 1
            }
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(full) \(full)" role="img" \
            shape-rendering="crispEdges"><title>\(Self.escaped(title))</title>\
            <rect width="\(full)" height="\(full)" fill="#fff"/><path d="\(path)" fill="#000"/></svg>
            """
    }

    /// Lines of block characters, two modules high each, with the quiet zone.
    ///
    /// - Parameter hasColors: Whether the terminal obeys colors; they make it dark on light. Without
    ///   them, light modules are drawn, as most terminals are dark.
    /// - Returns: The lines.
    public func text(hasColors: Bool) -> String {
        let range = -Self.quietZone..<size + Self.quietZone
        return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
            let line = range.map { column in
                switch (self[row, column] == hasColors, self[row + 1, column] == hasColors) {
                case (true, true): "█"
                case (true, false): "▀"
                case (false, true): "▄"
                case (false, false): " "
                }
            }.joined()
            return hasColors ? "\u{1B}[30;107m\(line)\u{1B}[0m" : line
        }.joined(separator: "\n")
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    }
}
