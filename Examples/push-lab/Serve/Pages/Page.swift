import Foundation

/// The frame of every page.
enum Page {
    /// `version` is the number of the state that it shows. It is `nil` for a page that stays as it
    /// is while things happen, as it makes something new each time it is loaded.
    static func html(
        _ title: String, _ content: Markup, error: String? = nil, version: Int?
    ) -> String {
        let mark: Markup = version.map { " data-version=\"\($0)\"" } ?? ""
        let alert: Markup =
            error.map { "<p class=\"alert\" role=\"alert\">\($0)</p>" } ?? ""
        let page: Markup = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(title) – push-lab</title>
            <link rel="stylesheet" href="/style.css">
            <script src="/script.js" defer></script>
            </head>
            <body>
            <header><a href="/">push-lab</a> <span>vendors’ push servers on this machine</span></header>
            <main id="main" tabindex="-1"\(mark)>\(alert)\(content)</main>
            </body>
            </html>

            """
        return page.html
    }

    /// A button that posts a form.
    static func button(
        _ label: String, to action: String, _ values: [(String, String)] = [], id: String? = nil
    ) -> Markup {
        let fields: [Markup] = values.map { name, value in
            "<input type=\"hidden\" name=\"\(name)\" value=\"\(value)\">"
        }
        let mark: Markup = id.map { " id=\"\($0)\"" } ?? ""
        return """
            <form method="post" action="\(action)">\(fields)<button\(mark)>\(label)</button></form>
            """
    }

    static func time(_ date: Date) -> Markup {
        let text = date.formatted(.iso8601)
        return "<time datetime=\"\(text)\">\(text.dropFirst(11).prefix(8))</time>"
    }

    /// A short text that isn't broken, however narrow its column is.
    static func word(_ text: String) -> Markup { "<span class=\"word\">\(text)</span>" }

    /// A row of a table.
    struct Row {
        /// What tells it from the others, however many come above it.
        var id: String?
        let cells: [Markup]

        fileprivate func html(_ columns: [String]) -> Markup {
            let cells: [Markup] = zip(columns, cells).map { column, cell in
                "<td data-label=\"\(column)\">\(cell)</td>"
            }
            let mark: Markup = id.map { " id=\"\($0)\"" } ?? ""
            return "<tr\(mark)>\(cells)</tr>"
        }
    }

    /// Rows under a heading, or a sentence that there are none.
    static func table(
        _ id: String, _ title: String, _ columns: [String], _ rows: [Row], none: String
    ) -> Markup {
        let heading: Markup = "<h2 id=\"\(id)-title\">\(title)</h2>"
        guard !rows.isEmpty else {
            return "<section id=\"\(id)\">\(heading)<p class=\"none\">\(none)</p></section>"
        }
        let head: [Markup] = columns.map { "<th scope=\"col\">\($0)</th>" }
        let body = rows.map { $0.html(columns) }
        return """
            <section id="\(id)">\(heading)<table aria-labelledby="\(id)-title"><thead><tr>\(head)\
            </tr></thead><tbody>\(body)</tbody></table></section>
            """
    }
}
