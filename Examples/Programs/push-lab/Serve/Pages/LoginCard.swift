import PushCore
import PushTesting

/// The login under way, as the login page itself would show it, and what to do next: a page's heart.
struct LoginCard {
    /// The last login; `nil` before the first.
    let login: ConsoleLogin?
    /// What the card is about before the first login.
    let title: String
    /// What stands below the title before the first login.
    var invitation = ""
    /// The push that should have brought it, if nobody took that.
    var untaken: ConsolePush?
    let actions: [Markup]

    /// Its nodes are there before the first login, too: what a reader of the screen is to be told
    /// is a change in a node that it knows.
    var content: Markup {
        let number: Markup =
            login?.shown.map { "<p class=\"shown\" id=\"shown\">\($0)</p>" } ?? ""
        let status = login?.status.rawName ?? "none"
        let time: Markup = login.map { Page.time($0.started) } ?? ""
        let hint: Markup =
            untaken.map { push in
                """
                <p class="hint" id="hint"><b>Its push: \(push.words).</b> \
                \(push.reason?.advice ?? "")</p>
                """
            } ?? ""
        return """
            <section id="login" class="card \(status)" aria-labelledby="login-title">
            <h2 id="login-title">\(login?.kind.label ?? title)</h2>
            <div id="number" aria-live="polite">\(number)</div>
            <p class="state"><span role="status" id="status" class="\(status)" \
            data-status="\(status)">\(login?.invitation ?? invitation)</span> \(time)</p>
            \(hint)
            <div class="actions" id="actions">\(actions)</div></section>
            """
    }
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
