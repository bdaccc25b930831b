import PushCore
import PushTesting
import QRCode

/// A new invitation: as a command for a shell, as a QR code, and as text.
struct InvitationPage {
    let console: Console
    let vendor: ConsoleVendor
    let user: String
    let configuration: EnrollmentCommand.Configuration

    func content() async throws -> Markup {
        let invitation = try await console.invite(user, to: vendor)
        let command = EnrollmentCommand(by: invitation, configuredBy: configuration)
        return """
            \(Page.way(
                back: "\(user) at \(vendor.simulator.name)",
                to: "/\(vendor.name)/\(ConsolePath.encoded(user))"))
            <h1>Enroll \(user) at \(vendor.simulator.name)</h1>
            <div class="columns"><section class="card" id="shell" aria-labelledby="shell-title">
            <h2 id="shell-title">In a shell</h2>
            <p>The command asks before it joins.</p>
            <div class="actions"><button type="button" class="primary" id="copy" data-copies="command" hidden>\
            Copy command</button> <span role="status" id="copied"></span></div>
            <pre class="whole" tabindex="0" id="command">\(command.text)</pre></section>
            <section id="device" aria-labelledby="device-title">
            \(introduction(of: invitation))</section></div>
            """
    }

    private func introduction(of invitation: Invitation) -> Markup {
        if case .credentials(let name, let password) = invitation {
            return """
                <h2 id="device-title">On a device</h2>
                <p>The vendor’s app asks for a user name and an activation password:</p>
                <dl><dt>User</dt><dd><code id="account">\(name)</code></dd>
                <dt>Activation password</dt><dd><code id="password">\(password.text)</code></dd></dl>
                """
        }
        let text = invitation.scannedText ?? ""
        return """
            <h2 id="device-title">By a camera</h2>
            \(picture(of: text))
            <details id="text"><summary id="text-title">Its text</summary>
            <p><code class="whole" id="invitation">\(text)</code></p></details>
            """
    }

    /// The text works without its picture, too.
    private func picture(of text: String) -> Markup {
        do {
            let picture = try QRCode(fitting: text).svg(title: "QR code to enroll \(user)")
            return "<div class=\"qr\">\(Markup(trusted: picture))</div>"
        } catch {
            return "<p class=\"hint\" id=\"no-picture\">\(error)</p>"
        }
    }
}
