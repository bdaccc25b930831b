import Foundation
import PushCore
import PushTesting

/// One user at one vendor: enroll, log in, and see what comes of it.
struct UserPage {
    let console: Console
    let vendor: ConsoleVendor
    let user: String

    private var path: String { "/\(vendor.name)/\(ConsolePath.encoded(user))" }

    func content() async -> Markup {
        let logins = await console.logins.filter { $0.vendor == vendor.name && $0.user == user }
        let devices = await console.devices["\(vendor.name)/\(user)"] ?? []
        return """
            \(Page.way(back: "Vendors", to: "/"))
            <h1>\(user) at \(vendor.simulator.name)</h1>
            <div class="columns"><div>
            \(await card(logins.first, hasDevice: !devices.isEmpty))
            \(codeForm)
            \(list(of: devices))
            \(list(of: Array(logins)))
            </div><div>
            \(await EventList(console: console, vendor: vendor, user: user).content())
            \(await PushList(console: console, vendor: vendor, user: user).content())
            \(await spoiling())
            </div></div>
            """
    }

    // MARK: The login

    /// What comes next is the primary action: to enroll, then to log in. While a login waits, that is
    /// the device's, and the page has none.
    private func card(_ login: ConsoleLogin?, hasDevice: Bool) async -> Markup {
        let isWaiting = login?.status == .waiting
        var actions: [Markup] = []
        if let login, isWaiting, vendor.cancel != nil { actions.append(takingBack(of: login)) }
        if !hasDevice { actions.append(invite("Enroll a device", isPrimary: true)) }
        for (place, kind) in vendor.kinds.enumerated() {
            actions.append(
                Page.button(
                    kind.label, to: path + "/login", [("kind", kind.rawValue)],
                    id: "login-\(kind.rawValue)",
                    isPrimary: place == 0 && hasDevice && !isWaiting))
        }
        if isWaiting, vendor.cancel == nil { actions.append(noWayBack) }
        return LoginCard(
            login: login,
            title: hasDevice ? "Ready to log in" : "No device yet",
            invitation: hasDevice
                ? "\(user)’s device will be asked" : "\(user) can log in once a device is enrolled",
            untaken: isWaiting ? await untakenPush(since: login?.started) : nil, actions: actions
        ).content
    }

    /// The last push, if it was sent since then and nobody took it.
    private func untakenPush(since start: Date?) async -> ConsolePush? {
        guard let start, let push = await console.pushes(of: user, at: vendor).first,
            push.reason != nil, push.time >= start
        else { return nil }
        return push
    }

    private var noWayBack: Markup {
        """
        <p class="none" id="no-cancel">\(vendor.simulator.name) has no way to take a login back: it \
        ends by an answer, or by the time.</p>
        """
    }

    private func takingBack(of login: ConsoleLogin) -> Markup {
        Page.button(
            "Take back", to: path + "/cancel", [("login", login.id)], id: "cancel-\(login.id)")
    }

    private var codeForm: Markup {
        guard vendor.logInByCode != nil else { return "" }
        return """
            <details id="codes"><summary id="codes-title">Log in with a one-time code</summary>
            <form method="post" action="\(path)/code"><label for="code">The code that the device shows</label>
            <input id="code" name="code" required maxlength="8" pattern="[0-9]+" inputmode="numeric" autocomplete="one-time-code">
            <button id="login-code">Log in</button></form></details>
            """
    }

    /// The last ten; the first of them is the card's.
    private func list(of logins: [ConsoleLogin]) -> Markup {
        let lines = logins.prefix(10).enumerated().map { place, login in
            let number: Markup = login.shown.map { " · <b>\($0)</b>" } ?? ""
            let words = login.status == .waiting ? "waiting" : login.words
            let button: Markup =
                place > 0 && login.status == .waiting && vendor.cancel != nil
                ? takingBack(of: login) : ""
            return Page.Line(
                id: "login-\(login.id)",
                content: """
                    \(Page.time(login.started)) <span class="what">\(login.kind.label)\(number) · \
                    <span class="\(login.status.rawName)">\(words)</span></span>\(button)
                    """)
        }
        return Page.list("logins", "Logins", lines, none: "No login yet.")
    }

    // MARK: Devices

    private func list(of devices: [String]) -> Markup {
        let lines = devices.enumerated().map {
            Page.Line(id: "device-\($0)", content: "<span class=\"what\">\($1)</span>")
        }
        return Page.list(
            "devices", "Devices", lines, none: "No device is enrolled.",
            rest: lines.isEmpty ? "" : "<p>\(invite("Enroll another", isPrimary: false))</p>")
    }

    private func invite(_ label: String, isPrimary: Bool) -> Markup {
        Page.link(label, to: path + "/invitation", id: "invite", isPrimary: isPrimary)
    }

    // MARK: Faults

    /// Folded, but for a fault that is planned.
    private func spoiling() async -> Markup {
        let planned = await console.fault(of: vendor.name)
        let buttons = PushFault.allCases.map { fault in
            Page.button(
                fault.label, to: path + "/fault", [("fault", fault.rawValue)],
                id: "fault-\(fault.rawValue)")
        }
        let next: Markup =
            planned.map {
                """
                <div class="hint" id="planned"><b>The next push: \($0.words).</b> \
                \(Page.button("As usual", to: path + "/fault", [("fault", "none")], id: "fault-none"))</div>
                """
            } ?? ""
        return """
            <section id="faults">\(next)<details id="spoil"><summary id="spoil-title">Spoil something</summary>
            <h3>The next push</h3><div class="actions">\(buttons)</div>
            <h3>What waits</h3><div class="actions">\
            \(Page.button("Let logins expire", to: path + "/expire", id: "expire"))</div></details></section>
            """
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
