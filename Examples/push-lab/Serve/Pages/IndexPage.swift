import PushTesting

/// The vendors, the users, and what happens.
struct IndexPage {
    let console: Console

    func content() async -> Markup {
        var rows: [Page.Row] = []
        let users = await console.users
        let (devices, logins) = await (console.devices, console.logins)
        for vendor in console.vendors {
            let links: [Markup] = users.map { user in
                let count = devices["\(vendor.name)/\(user)"]?.count ?? 0
                let enrolled = count == 0 ? "" : " (\(count) enrolled)"
                return """
                    <a id="user-\(vendor.name)-\(user)" \
                    href="/\(vendor.name)/\(ConsolePath.encoded(user))">\(user)</a>\(enrolled) 
                    """
            }
            let waiting = logins.count { $0.vendor == vendor.name && $0.status == .waiting }
            rows.append(.init(cells: ["\(vendor.simulator.name)", "\(links)", "\(waiting)"]))
        }
        return """
            <h1>Vendors</h1>
            <p>Pick a vendor and a user: there is a QR code to enroll by, and a page to log in.
            <code>pushauth --config</code> takes <a id="configuration" href="/pushauth.toml">this configuration</a>.</p>
            \(Page.table("vendors", "Users", ["Vendor", "Users", "Waiting logins"], rows, none: ""))
            <form method="post" action="/users"><label for="user">Another user</label>
            <input id="user" name="user" required maxlength="64" pattern="[A-Za-z0-9._\\-]+" autocomplete="off">
            <button id="add">Add</button></form>
            \(await EventTable(console: console, vendor: nil).content())
            """
    }
}

/// What happened, newest first.
struct EventTable {
    let console: Console
    let vendor: String?

    func content() async -> Markup {
        let events = await console.events.filter { vendor == nil || $0.vendor == vendor }
        let rows = events.prefix(60).map {
            Page.Row(
                id: "event-\($0.number)",
                cells: [Page.time($0.time), "\($0.vendor)", Self.content(of: $0)])
        }
        return Page.table(
            "events", "Events", ["Time", "Vendor", "Event"], rows, none: "Nothing happened yet.")
    }

    private static func content(of event: ConsoleEvent) -> Markup {
        guard let exchange = event.exchange else { return "\(event.text)" }
        return """
            <details id="exchange-\(event.number)"><summary id="exchange-\(event.number)-title">\
            \(event.text)</summary><pre>\(exchange.text)</pre></details>
            """
    }
}
