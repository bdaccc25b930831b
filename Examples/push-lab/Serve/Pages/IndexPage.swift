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
            \(await UntakenTable(console: console).content())
            \(await EventTable(console: console).content())
            """
    }
}
