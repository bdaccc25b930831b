import PushTesting

/// The vendors, the users, and what happens.
struct IndexPage {
    let console: Console

    func content() async -> Markup {
        """
        <h1>Vendors</h1>
        <div class="columns"><div>
        \(await card())
        \(await vendors())
        <form method="post" action="/users" class="adding"><label for="user">Another user</label>
        <input id="user" name="user" required maxlength="64" pattern="[A-Za-z0-9._\\-]+" autocomplete="off">
        <button id="add">Add</button></form>
        <p class="none">In a shell, <code>pushauth --config</code> takes \
        <a id="configuration" href="/pushauth.toml">this configuration</a>.</p>
        </div><div>
        \(await PushList.untaken(at: console))
        \(await EventList(console: console).content())
        </div></div>
        """
    }

    /// The last login of all, or the way to the first one.
    private func card() async -> Markup {
        if let login = await console.logins.first {
            let place = "\(login.user) at \(await console.title(of: login.vendor))"
            let path = "/\(login.vendor)/\(ConsolePath.encoded(login.user))"
            return LoginCard(
                login: login, title: "",
                actions: [Page.link(place, to: path, id: "next", isPrimary: true)]
            ).content
        }
        let users = await console.users
        let devices = await console.devices
        for vendor in console.vendors {
            for user in users where devices["\(vendor.name)/\(user)"]?.isEmpty == false {
                return next(
                    "Ready to log in", "\(user) has a device",
                    "\(user) at \(vendor.simulator.name)",
                    "/\(vendor.name)/\(ConsolePath.encoded(user))")
            }
        }
        guard let vendor = console.vendors.first, let user = users.first else { return "" }
        return next(
            "No device yet", "Pick a vendor and a user below, or begin here",
            "Enroll \(user) at \(vendor.simulator.name)",
            "/\(vendor.name)/\(ConsolePath.encoded(user))/invitation")
    }

    private func next(
        _ title: String, _ invitation: String, _ label: String, _ path: String
    ) -> Markup {
        LoginCard(
            login: nil, title: title, invitation: invitation,
            actions: [Page.link(label, to: path, id: "next", isPrimary: true)]
        ).content
    }

    private func vendors() async -> Markup {
        let users = await console.users
        let (devices, logins) = await (console.devices, console.logins)
        let lines = console.vendors.map { vendor in
            let links: [Markup] = users.map { user in
                let count = devices["\(vendor.name)/\(user)"]?.count ?? 0
                let isWaiting = logins.contains {
                    $0.vendor == vendor.name && $0.user == user && $0.status == .waiting
                }
                let state: Markup =
                    isWaiting
                    ? " <b class=\"waiting\">waiting</b>"
                    : count == 0 ? "" : " <small>\(count) enrolled</small>"
                return """
                    <a class="person" id="user-\(vendor.name)-\(user)" \
                    href="/\(vendor.name)/\(ConsolePath.encoded(user))"><span>\(user)</span>\(state)</a> 
                    """
            }
            return Page.Line(
                id: "vendor-\(vendor.name)", kind: "vendor",
                content: "<span class=\"name\">\(vendor.simulator.name)</span> \(links)")
        }
        return Page.list("vendors", "Users", lines, none: "")
    }
}
