import Foundation
import HTTPTypes
import PushCore
import PushOneSpanSimulator
import PushTesting

/// A tenant of the platform, and its customer's server.
struct Site {
    let time: ManualClock
    let tenant: OneSpanSimulator
    let server: CustomerServer

    /// Where the customer's server takes commands.
    let commandURL: String

    static let start = Date(timeIntervalSince1970: 1_767_225_000)

    init(
        seed: UInt64 = .random(in: 0 ... .max),
        _ change: @Sendable (inout OneSpanSimulator.Configuration) -> Void = { _ in }
    ) {
        time = ManualClock(Self.start)
        var configuration = OneSpanSimulator.Configuration(
            domain: Sample.domain, clock: time, random: SeededRandom(seed: seed))
        change(&configuration)
        tenant = OneSpanSimulator(configuration)
        server = CustomerServer(tenant)
        commandURL = "https://app.example.com" + configuration.commandPath
    }

    /// A new activation password, for typing in.
    func password(of user: String = Sample.user) async throws -> String {
        guard case .credentials(_, let password) = try await tenant.invitation(for: user) else {
            throw NothingThrown()
        }
        return String(decoding: password.bytesForTest, as: UTF8.self)
    }

    func login(of user: String = Sample.user) async throws -> String {
        try await tenant.startLogin(of: user, asking: .confirm).id
    }

    /// Starts logins that ask for the PIN.
    func pinLogin(of user: String = Sample.user) async throws -> String {
        await tenant.configure { $0.confirmMethod = .password }
        return try await login(of: user)
    }

    static let fields = [
        OneSpanSimulator.Field("Amount", "100.00 EUR"),
        OneSpanSimulator.Field("To", "DE89370400440532013000"),
    ]

    func transaction(
        _ fields: [OneSpanSimulator.Field] = Site.fields,
        method: OneSpanSimulator.AuthenticationMethod = .password,
        of user: String = Sample.user
    ) async throws -> String {
        try await tenant.startTransaction(of: user, fields: fields, method: method).id
    }

    func status(_ request: String) async -> OneSpanSimulator.SessionStatus? {
        await tenant.session(request)?.status
    }

    func decision(_ request: String) async -> OneSpanSimulator.Decision? {
        await tenant.session(request)?.decision
    }

    /// Calls one of the platform's services, as the customer's website does.
    func call(_ path: String, _ body: JSON) async throws -> (status: Int, body: JSON?) {
        let endpoint = try Endpoint(await tenant.origin + path)
        let reply = await tenant.respond(
            to: endpoint.request(.post, headers: [.contentType: "application/json"]),
            body: body.data)
        return (reply.response.status.code, try? JSON(parsing: reply.body))
    }

    /// What the website learns of a registration.
    func activationStatus(of user: String = Sample.user) async throws -> String? {
        try await call(
            "/v1/registrations/check-status",
            ["login": .string("\(user)@\(Sample.domain)"), "timeoutSeconds": 0]
        ).body?["activationStatus"]?.string
    }
}
