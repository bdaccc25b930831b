import PushTesting

/// What happened, newest first, a line each.
struct EventList {
    let console: Console
    /// Whose exchanges these are, and what else concerned the vendor; all there is without them.
    var vendor: ConsoleVendor?
    var user: String?
    /// Whether nothing is left out: else there are ten lines, and a link to the others.
    var isWhole = false

    private static let short = 10

    /// Where all of it is.
    private var path: String {
        guard let vendor, let user else { return "/log" }
        return "/\(vendor.name)/\(ConsolePath.encoded(user))/log"
    }

    func content() async -> Markup {
        let events = await console.events.filter(isShown)
        var lines: [Page.Line] = []
        for event in isWhole ? events[...] : events.prefix(Self.short) {
            lines.append(
                Page.Line(
                    id: "event-\(event.number)",
                    content:
                        "\(Page.time(event.time)) \(await whose(event))\(Self.content(of: event))"))
        }
        let rest: Markup =
            lines.count == events.count
            ? "" : "<p><a id=\"all-events\" href=\"\(path)\">All \(events.count) events</a></p>"
        return Page.list("events", "Events", lines, none: "Nothing happened yet.", rest: rest)
    }

    private func isShown(_ event: ConsoleEvent) -> Bool {
        guard let vendor, let user else { return true }
        guard event.vendor == vendor.name else { return false }
        return event.user == user || event.user == nil && event.exchange == nil
    }

    private func whose(_ event: ConsoleEvent) async -> Markup {
        guard user == nil else { return "" }
        let name = await console.title(of: event.vendor)
        return "<span class=\"who\">\(event.user.map { "\($0) · " } ?? "")\(name)</span> "
    }

    private static func content(of event: ConsoleEvent) -> Markup {
        guard let exchange = event.exchange else {
            return "<span class=\"what\">\(event.text)</span>"
        }
        return """
            <details class="what" id="exchange-\(event.number)">\
            <summary id="exchange-\(event.number)-title">\(event.text)</summary>\
            <pre tabindex="0">\(exchange.text)</pre></details>
            """
    }
}

/// A page with every event that is kept.
struct LogPage {
    let console: Console
    /// Whose events these are; everybody's without them.
    var vendor: ConsoleVendor?
    var user: String?

    func content() async -> Markup {
        let list = await EventList(console: console, vendor: vendor, user: user, isWhole: true)
            .content()
        let back: Markup =
            if let vendor, let user {
                Page.way(
                    back: "\(user) at \(vendor.simulator.name)",
                    to: "/\(vendor.name)/\(ConsolePath.encoded(user))")
            } else {
                Page.way(back: "Vendors", to: "/")
            }
        return """
            \(back)
            <h1>What happened</h1>
            <div class="whole-lines">\(list)</div>
            """
    }
}

/// Pushes and what became of them, newest first, with what may help where nobody took one.
struct PushList {
    let console: Console
    /// Whose pushes these are.
    let vendor: ConsoleVendor
    let user: String

    func content() async -> Markup {
        let pushes = await console.pushes(of: user, at: vendor)
        return Page.list(
            "pushes", "Pushes", pushes.prefix(10).map { $0.line() }, none: "No push yet.")
    }

    /// The pushes that nobody took, of all vendors and users; nothing if there are none.
    static func untaken(at console: Console) async -> Markup {
        let pushes = await console.pushes.filter { $0.reason != nil }
        guard !pushes.isEmpty else { return "" }
        var lines: [Page.Line] = []
        for push in pushes.prefix(10) {
            let name = await console.title(of: push.vendor)
            let whose = "\(push.user.map { "\($0) · " } ?? "")\(name)"
            lines.append(push.line(after: "<span class=\"who\">\(whose)</span> "))
        }
        return Page.list("untaken", "Pushes that nobody took", lines, none: "")
    }
}

extension ConsolePush {
    /// `whose` says whose it is, where the page doesn't.
    fileprivate func line(after whose: Markup = "") -> Page.Line {
        let why: Markup =
            reason.map {
                "<span class=\"more\"><b class=\"failed\">\(words).</b> \($0.advice)</span>"
            }
            ?? ""
        let shown: Markup =
            content.map { content in
                """
                <details class="more" id="content-\(number)"><summary id="content-\(number)-title">\
                Its content</summary><pre tabindex="0">\(content)</pre></details>
                """
            } ?? ""
        let fate: Markup = reason == nil ? " · \(words)" : ""
        return Page.Line(
            id: "push-\(number)", kind: reason == nil ? "" : "untaken",
            content: """
                \(Page.time(time)) \(whose)<span class="what">\(token) · \(size) bytes\(fate)</span>\
                \(why)\(shown)
                """)
    }
}
