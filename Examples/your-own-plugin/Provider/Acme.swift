import Crypto
import Foundation
import HTTPTypes
public import PushCore

// snippet: provider
/// Acme, a vendor that doesn't exist. It and a device sign what they tell each other with a key
/// that only their enrollment has (HMAC with SHA-256, RFC 2104).
public struct Acme: PushProvider {
    /// The name of this instance; it must not change between releases of an app.
    public let id: ProviderID
    let environment: PushEnvironment

    /// Creates a provider.
    public init(id: ProviderID = "acme", in environment: PushEnvironment) {
        (self.id, self.environment) = (id, environment.scoped(to: id))
    }

    /// Acme has a call for a new device token, and none to remove a device or to list challenges.
    public var capabilities: Capabilities { [.tokenUpdate] }

    /// Acme asks for a plain yes, and for nothing else.
    public var prompts: [Challenge.Prompt] { [.approve] }

    /// Acme pushes by Firebase.
    public var pushServices: [DeviceToken.Service] { [.fcm] }

    /// Reads Acme's codes, and enrolls.
    public var enroller: any Enroller { AcmeEnroller(acme: self) }

    /// Opens and answers Acme's challenges.
    public var resolver: any Resolver { AcmeResolver(acme: self) }

    var accounts: Accounts { environment.accounts(for: id) }
    // end snippet

    // snippet: verify
    /// A push, by the member that all of Acme's have. Nothing of it is proved.
    struct Push {
        let text: String
        let device: String?
        let mac: Data?

        init?(_ message: PushMessage) {
            guard let text = message["acme"]?.string else { return nil }
            self.text = text
            device = message["device"]?.string
            mac = Data(base64Encoded: message["mac"]?.string ?? "")
        }
    }

    /// What has the form of Acme's pushes.
    public func candidate(in message: PushMessage) -> PushMessage.Candidate? {
        Push(message).map { PushMessage.Candidate($0, verifiedBy: event(of:in:)) }
    }

    /// Verifies a push with the key of the enrollment that it names, then reads it.
    private func event(of push: Push, in accounts: Accounts) async throws(PushError) -> PushEvent {
        guard let device = push.device, let mac = push.mac else {
            throw PushError(.malformed, "The push lacks a member.")
        }
        let text = push.text
        let enrollment = Enrollment.ID(device, of: id)
        let key = try await accounts.existing(enrollment).credential(as: AcmeLink.self).macKey
        guard
            HMAC<SHA256>.isValidAuthenticationCode(mac, authenticating: Data(text.utf8), using: key)
        else { throw PushError(.untrusted, "The push isn't signed with its enrollment's key.") }
        // end snippet

        // snippet: read
        let claims = try JSON(parsing: text)
        guard let name = claims["challenge"]?.string, let expiry = claims["expires"]?.integer else {
            throw PushError(.malformed, "The claims lack a member.")
        }
        let challenge = Challenge.ID(name, of: enrollment)
        switch claims["kind"]?.string {
        case "login":
            let notice = Notice(
                id: challenge, body: claims["text"]?.string,
                expiry: Date(timeIntervalSince1970: Double(expiry)), proof: .mac)
            let context = Secret.Record(fields: ["prompt": claims["prompt"] ?? .null])
            return .notice(Announcement(notice, context: context.sealed))
        case "answered": return .withdrawal(Withdrawal(challenge, .elsewhere))
        case let kind:
            return .incompatible(PushEvent.Incompatible(challenge, kind: kind ?? "unnamed"))
        }
    }
    // end snippet

    // snippet: exchange
    /// Posts to where the enrollment was made, and nowhere else; returns the status. Acme's 200 has
    /// no body: a page under it is a portal's, and as good as no reply.
    func post(_ body: Secret, to link: AcmeLink) async throws(PushError) -> Int {
        let reply = try await environment.transport.send(
            link.url.request(.post), body: body.withBytes { Data($0) })
        let status = reply.response.status.code
        guard !(200..<300 ~= status) || status == 200 && reply.body.isEmpty else {
            throw .unexplained(status: status, "The reply isn't in Acme's form.")
        }
        return status
    }
    // end snippet
}

// snippet: link
/// What the plugin keeps of an enrollment: where Acme is, and the key.
struct AcmeLink {
    let url: Endpoint
    let key: Secret

    var macKey: SymmetricKey { key.withBytes { SymmetricKey(data: $0) } }

    /// Claims signed with the key, as Acme takes them. A device's claims say what to `do`, Acme's
    /// of which `kind` they are, so neither side's pass for the other's.
    func signed(_ claims: JSON) -> Secret {
        let mac = Data(HMAC<SHA256>.authenticationCode(for: claims.data, using: macKey))
        let body: JSON = ["acme": .string(claims.text), "mac": .string(mac.base64EncodedString())]
        return Secret(body.utf8)
    }
}

extension AcmeLink: ProviderCredential {
    init(reading sealed: Secret) throws(PushError) {
        let record = try Secret.Record(reading: sealed)
        guard let key = record.secrets.first else { throw PushError(.malformed, "It has no key.") }
        self.init(url: try Endpoint(record.fields["url"]?.string ?? ""), key: key)
    }

    var sealed: Secret { Secret.Record(fields: ["url": .string(url.text)], secrets: [key]).sealed }
}
// end snippet
