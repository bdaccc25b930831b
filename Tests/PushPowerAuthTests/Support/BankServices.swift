import Foundation
import HTTPTypes
import PushCore
import PushPowerAuthSimulator

@testable import PushPowerAuth

/// The endpoints of a bank's own server, as the tests' simulator serves them.
extension Bank {
    static let payment = PowerAuthSimulator.BankResource("/secured/payment")
    static let accounts = PowerAuthSimulator.BankResource(
        "/secured/account/list", methods: [.get],
        proof: .signature([.possession, .possessionKnowledge]), answer: ["accounts": []])
    static let account = PowerAuthSimulator.BankResource(
        "/secured/account/{id}", name: "/secured/account/${id}", methods: [.put, .patch, .delete])
    static let rates = PowerAuthSimulator.BankResource(
        "/rates", methods: [.get, .post], proof: .token([.possession]), answer: ["rate": 25])
    static let cards = PowerAuthSimulator.BankResource(
        "/cards", methods: [.post], proof: .token([.possessionKnowledge]),
        encryption: .activation, answer: ["cards": 2])
    static let login = PowerAuthSimulator.BankResource(
        "/login", proof: .none, encryption: .application, answer: ["welcome": true])
    static let profile = PowerAuthSimulator.BankResource(
        "/profile", proof: .none, encryption: .activation, answer: ["name": "Petra"])
    static let order = PowerAuthSimulator.BankResource(
        "/order", encryption: .activation, answer: ["order": 7])
    static let any = PowerAuthSimulator.BankResource(
        "/any", proof: .signature(Set(PowerAuthSimulator.SignatureType.allCases)))

    /// Serves the endpoints.
    func opensServices() async {
        await configure {
            $0.resources = [
                Self.payment, Self.accounts, Self.account, Self.rates, Self.cards, Self.login,
                Self.profile, Self.order, Self.any,
            ]
        }
    }
}

extension PowerAuthHarness {
    /// A request to the bank's own server.
    func request(_ method: HTTPRequest.Method, _ path: String) -> HTTPRequest {
        HTTPRequest(
            method: method, scheme: "https", authority: "mobile.powerauth.example", path: path)
    }

    func requests(_ id: Enrollment.ID) throws -> PowerAuthRequests {
        try manager(id).requests
    }

    /// Signs a request and sends it.
    @discardableResult
    func signed(
        _ method: HTTPRequest.Method = .post, _ path: String = "/secured/payment",
        body: String = "", as resource: String? = nil,
        by factors: PowerAuthFactors = .pin(Customer.pin), of id: Enrollment.ID
    ) async throws -> PowerAuthReply {
        let head = request(method, path)
        let resource = resource ?? String(path.prefix { $0 != "?" })
        return try await requests(id).inTurn {
            (builder) async throws(PushError) -> PowerAuthReply in
            try await builder.send(
                try await builder.signed(
                    head, body: Data(body.utf8), resource: resource, factors: factors))
        }
    }
}
