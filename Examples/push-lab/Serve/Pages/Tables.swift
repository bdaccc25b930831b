/// What happened, newest first.
struct EventTable {
    let console: Console
    /// Whose exchanges these are, and what else concerned the vendor; all there is without them.
    var vendor: String?
    var user: String?

    func content() async -> Markup {
        let events = await console.events.filter(isShown)
        let rows = events.prefix(60).map { event in
            let whose: [Markup] =
                user == nil ? [Page.word(event.vendor), "\(event.user ?? "")"] : []
            return Page.Row(
                id: "event-\(event.number)",
                cells: [Page.time(event.time)] + whose + [Self.content(of: event)])
        }
        return Page.table(
            "events", "Events", ["Time"] + (user == nil ? ["Vendor", "User"] : []) + ["Event"],
            rows, none: "Nothing happened yet.")
    }

    private func isShown(_ event: ConsoleEvent) -> Bool {
        guard let vendor, let user else { return true }
        guard event.vendor == vendor else { return false }
        return event.user == user || event.user == nil && event.exchange == nil
    }

    private static func content(of event: ConsoleEvent) -> Markup {
        guard let exchange = event.exchange else { return "\(event.text)" }
        return """
            <details id="exchange-\(event.number)"><summary id="exchange-\(event.number)-title">\
            \(event.text)</summary><pre>\(exchange.text)</pre></details>
            """
    }
}

/// The pushes that nobody took, newest first, each with the reason.
struct UntakenTable {
    let console: Console
    /// Whose pushes these are; all there are without them.
    var vendor: String?
    var user: String?

    func content() async -> Markup {
        let pushes = await console.pushes.filter { push in
            push.reason != nil && (vendor == nil || push.vendor == vendor)
                && (user == nil || push.user == nil || push.user == user)
        }
        let rows = pushes.prefix(20).map { push in
            let whose: [Markup] =
                user == nil ? [Page.word(push.vendor), "\(push.user ?? "")"] : []
            let why: Markup = """
                <span class="failed">\(push.words)</span> \(push.reason?.advice ?? "")
                """
            return Page.Row(
                id: "untaken-\(push.number)",
                cells: [Page.word("\(push.number)"), Page.time(push.time)] + whose
                    + ["\(push.token)", why])
        }
        return Page.table(
            "untaken", "Pushes that nobody took",
            ["No.", "Time"] + (user == nil ? ["Vendor", "User"] : []) + ["To", "Why"], rows,
            none: "None.")
    }
}
