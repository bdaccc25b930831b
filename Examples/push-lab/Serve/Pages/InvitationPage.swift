import PushCore
import PushTesting
import QRCode

/// A new invitation: as a QR code, as text, and as a command for a shell.
struct InvitationPage {
    let console: Console
    let vendor: ConsoleVendor
    let user: String
    let configuration: EnrollmentCommand.Configuration

    func content() async throws -> Markup {
        let invitation = try await console.invite(user, to: vendor)
        let command = EnrollmentCommand(by: invitation, configuredBy: configuration)
        return """
            <h1>Enroll \(user) at \(vendor.simulator.name)</h1>
            \(introduction(of: invitation))
            <section id="shell"><h2>In a shell</h2>
            <p>This command asks before it joins:</p>
            <pre class="whole" tabindex="0" id="command">\(command.text)</pre>
            <p><button type="button" id="copy" data-copies="command" hidden>Copy</button>
            <span role="status" id="copied"></span></p></section>
            <p><a href="/\(vendor.name)/\(ConsolePath.encoded(user))">Back to \(user)</a></p>
            """
    }

    private func introduction(of invitation: Invitation) -> Markup {
        if case .credentials(let name, let password) = invitation {
            return """
                <p>The vendor’s app asks for a user name and an activation password:</p>
                <dl><dt>User</dt><dd><code id="account">\(name)</code></dd>
                <dt>Activation password</dt><dd><code id="password">\(password.text)</code></dd></dl>
                """
        }
        let text = invitation.scannedText ?? ""
        return """
            \(picture(of: text))
            <p>Its text:</p>
            <p><code class="whole" id="invitation">\(text)</code></p>
            """
    }

    /// The text works without its picture, too.
    private func picture(of text: String) -> Markup {
        do {
            let picture = try QRCode(fitting: text).svg(title: "QR code to enroll \(user)")
            return "<div class=\"qr\">\(Markup(trusted: picture))</div>"
        } catch {
            return "<p class=\"alert\" id=\"no-picture\">\(error)</p>"
        }
    }
}
