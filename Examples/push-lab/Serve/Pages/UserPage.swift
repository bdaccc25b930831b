import PushCore
import PushTesting

/// One user at one vendor: enroll, log in, and see what comes of it.
struct UserPage {
    let console: Console
    let vendor: ConsoleVendor
    let user: String

    private var path: String { "/\(vendor.name)/\(ConsolePath.encoded(user))" }

    func content() async -> Markup {
        """
        <h1>\(vendor.simulator.name): \(user)</h1>
        \(await loginSection())
        \(codeSection)
        \(await deviceSection())
        \(await pushSection())
        \(await UntakenTable(console: console, vendor: vendor.name, user: user).content())
        \(await EventTable(console: console, vendor: vendor.name, user: user).content())
        """
    }

    private func loginSection() async -> Markup {
        let buttons = vendor.kinds.map {
            Page.button(
                $0.label, to: path + "/login", [("kind", $0.rawValue)], id: "login-\($0.rawValue)")
        }
        let logins = await console.logins.filter { $0.vendor == vendor.name && $0.user == user }
        let rows = logins.prefix(10).map { row(of: $0) }
        let excuse: Markup =
            vendor.cancel == nil
            ? """
            <p class="none" id="no-cancel">\(vendor.simulator.name) has no way to take a login \
            back: it ends by an answer, or by the time.</p>
            """ : ""
        return """
            <section id="login"><h2>Log in</h2>\(buttons)
            \(latest(logins.first))\(excuse)</section>
            \(Page.table("logins", "Logins", loginColumns, rows, none: "No login yet."))
            """
    }

    private var codeSection: Markup {
        guard vendor.logInByCode != nil else { return "" }
        return """
            <section id="codes"><h2>Log in with a one-time code</h2>
            <form method="post" action="\(path)/code"><label for="code">The code that the device shows</label>
            <input id="code" name="code" required maxlength="8" pattern="[0-9]+" inputmode="numeric" autocomplete="one-time-code">
            <button id="login-code">Log in</button></form></section>
            """
    }

    private var loginColumns: [String] {
        ["Time", "Kind", "Number", "State"] + (vendor.cancel == nil ? [] : ["Action"])
    }

    private func row(of login: ConsoleLogin) -> Page.Row {
        let shown: Markup = login.shown.map { "<span class=\"number\">\($0)</span>" } ?? ""
        let button: Markup =
            login.status == .waiting && vendor.cancel != nil
            ? Page.button(
                "Take back", to: path + "/cancel", [("login", login.id)],
                id: "cancel-\(login.id)") : ""
        return Page.Row(
            id: "login-\(login.id)",
            cells: [
                Page.time(login.started), "\(login.kind.label)", shown,
                "<span class=\"\(login.status.rawName)\">\(login.words)</span>", button,
            ])
    }

    /// What the login page itself would show.
    ///
    /// Its nodes are there before the first login, too: what a reader of the screen is to be told
    /// is a change in a node that it knows.
    private func latest(_ login: ConsoleLogin?) -> Markup {
        let number: Markup =
            login?.shown.map { "<p class=\"shown\" id=\"shown\">\($0)</p>" } ?? ""
        let status = login?.status.rawName ?? "none"
        return """
            <div id="number" aria-live="polite">\(number)</div>
            <p role="status" id="status" class="\(status)" \
            data-status="\(status)">\(login?.words ?? "")</p>
            """
    }

    private func deviceSection() async -> Markup {
        let devices = await console.devices["\(vendor.name)/\(user)"] ?? []
        let rows = devices.map { Page.Row(cells: ["\($0)"]) }
        let table = Page.table(
            "devices", "Devices", ["Device"], rows, none: "No device is enrolled.")
        return """
            \(table)
            <section id="enroll"><h2>Enroll a device</h2>
            <p><a href="\(path)/invitation" id="invite">Show a new QR code</a></p></section>
            """
    }

    private func pushSection() async -> Markup {
        let planned = await console.fault(of: vendor.name)
        let buttons = PushFault.allCases.map { fault in
            Page.button(
                fault.label, to: path + "/fault", [("fault", fault.rawValue)],
                id: "fault-\(fault.rawValue)")
        }
        let next: Markup =
            planned.map {
                """
                <div id="planned">The next push: \($0.words). \
                \(Page.button("As usual", to: path + "/fault", [("fault", "none")], id: "fault-none"))</div>
                """
            } ?? ""
        let pushes = await console.pushes.filter {
            $0.vendor == vendor.name && ($0.user == user || $0.user == nil)
        }
        let rows = pushes.prefix(20).map {
            Page.Row(
                id: "push-\($0.number)",
                cells: [
                    "\($0.number)", Page.time($0.time), "\($0.token)", "\($0.size) bytes",
                    "\($0.words)",
                ])
        }
        return """
            \(Page.table("pushes", "Pushes", Self.pushColumns, rows, none: "No push yet."))
            <section id="faults"><h2>Spoil the next push</h2>\(buttons)\(next)
            <h2>Spoil what waits</h2>\
            \(Page.button("Let logins expire", to: path + "/expire", id: "expire"))</section>
            """
    }

    private static let pushColumns = ["No.", "Time", "To", "Size", "Fate"]
}

extension SimulatedLogin.Kind {
    var label: String {
        switch self {
        case .confirm: "Log in"
        case .number: "Log in with a number"
        case .biometry: "Log in with biometry"
        @unknown default: "Log in"
        }
    }
}

extension SimulatedLogin.Status {
    /// As classes and attributes have it.
    var rawName: String {
        switch self {
        case .waiting: "waiting"
        case .approved: "approved"
        case .denied: "denied"
        case .failed: "failed"
        case .expired: "expired"
        @unknown default: "unknown"
        }
    }
}

extension PushFault {
    fileprivate var label: String {
        switch self {
        case .drop: "Drop"
        case .delay: "Delay"
        case .duplicate: "Duplicate"
        case .forge: "Forge"
        }
    }
}
