import Foundation

/// The frame of every page.
enum Page {
    /// `version` is the number of the state that it shows. It is `nil` for a page that stays as it
    /// is while things happen, as it makes something new each time it is loaded.
    ///
    /// An error stands beside what is renewed: it goes with the next button, not with the next event.
    static func html(
        _ title: String, _ content: Markup, error: String? = nil, version: Int?
    ) -> String {
        let mark: Markup = version.map { " data-version=\"\($0)\"" } ?? ""
        let alert: Markup = error.map { "<p>\($0)</p>" } ?? ""
        let page: Markup = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(title) – push-lab</title>
            <link rel="icon" type="image/svg+xml" href="/favicon.svg">
            <link rel="stylesheet" href="/style.css">
            <script src="/script.js" defer></script>
            </head>
            <body>
            <header><a href="/">push-lab</a> <span>vendors’ push servers on this machine</span></header>
            <div id="alert" role="alert">\(alert)</div>
            <main id="main" tabindex="-1"\(mark)>\(content)</main>
            </body>
            </html>

            """
        return page.html
    }

    /// Why there is no such page, and the ways back.
    static func dead(end reason: String, _ ways: [(label: String, path: String)]) -> String {
        let links: [Markup] = ways.enumerated().map { number, way in
            link(way.label, to: way.path, id: "back-\(number)", isPrimary: number == 0)
        }
        return html(
            "Not here",
            """
            <section class="card"><h1>Not here</h1><p>\(reason)</p>
            <div class="actions">\(links)</div></section>
            """, version: nil)
    }

    /// The way back above a page's title.
    static func way(back label: String, to path: String) -> Markup {
        "<p class=\"way\"><a id=\"back\" href=\"\(path)\">← \(label)</a></p>"
    }

    /// A button that posts a form. A page has one primary button or link at most.
    static func button(
        _ label: String, to action: String, _ values: [(String, String)] = [], id: String,
        isPrimary: Bool = false
    ) -> Markup {
        let fields: [Markup] = values.map { name, value in
            "<input type=\"hidden\" name=\"\(name)\" value=\"\(value)\">"
        }
        return """
            <form method="post" action="\(action)">\(fields)<button id="\(id)"\
            \(mark(isPrimary))>\(label)</button></form>
            """
    }

    /// A link that looks like a button.
    static func link(
        _ label: String, to path: String, id: String, isPrimary: Bool = false
    ) -> Markup {
        let kind = isPrimary ? "button primary" : "button"
        return "<a class=\"\(kind)\" id=\"\(id)\" href=\"\(path)\">\(label)</a>"
    }

    private static func mark(_ isPrimary: Bool) -> Markup {
        isPrimary ? " class=\"primary\"" : ""
    }

    static func time(_ date: Date) -> Markup {
        let text = date.formatted(.iso8601)
        return "<time datetime=\"\(text)\">\(text.dropFirst(11).prefix(8))</time>"
    }

    /// A line of a list.
    struct Line {
        /// What tells it from the others, however many come above it.
        let id: String
        var kind = ""
        let content: Markup

        fileprivate var html: Markup {
            let mark: Markup = kind.isEmpty ? "" : " class=\"\(kind)\""
            return "<li id=\"\(id)\"\(mark)>\(content)</li>"
        }
    }

    /// Lines under a heading, or a sentence that there are none; `rest` follows them.
    static func list(
        _ id: String, _ title: String, _ lines: [Line], none: String, rest: Markup = ""
    ) -> Markup {
        let body: Markup =
            lines.isEmpty
            ? "<p class=\"none\">\(none)</p>" : "<ol class=\"lines\">\(lines.map(\.html))</ol>"
        return """
            <section id="\(id)" aria-labelledby="\(id)-title"><h2 id="\(id)-title">\(title)</h2>\
            \(body)\(rest)</section>
            """
    }
}
