import PushCore
import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One authentication, as the manager has it.
struct LoginProcess {
    /// Where it stands; the deadline is another matter.
    enum State: Equatable {
        case open
        case started(by: String)
        case approved
        case rejected(by: String)
        case aborted
        /// Its owner's activation was locked.
        case failed
    }

    let id: String
    let user: String
    let expiry: Int64
    let roles: [XignInSimulator.Role]
    let service: XignInSimulator.Service
    let organization: XignInSimulator.Organization
    let attributes: [XignInSimulator.Attribute]
    let transaction: String?
    /// The `jti` of the message that an activation was sent.
    var messages: [String: String] = [:]
    /// The nonce that an activation was given, and the version that was chosen for it.
    var initializations: [String: (nonce: String, version: XignInSimulator.Version)] = [:]
    var state = State.open
    /// What the next assertion must name.
    var challenge: String?
    /// The result of each assertion that was judged, by activation and hash.
    var judged: [String: JSON] = [:]
    /// What the user let go.
    var released: JSON.Object?
    /// The last messages, in case that they are to arrive again.
    var sent: [SimulatedPush] = []

    init(
        id: String, user: String, roles: [XignInSimulator.Role],
        configuration: XignInSimulator.Configuration
    ) {
        self.id = id
        self.user = user
        self.roles = roles
        expiry = configuration.now + max(configuration.processLifetime.components.seconds, 1)
        service = configuration.service
        organization = configuration.organization
        attributes = configuration.attributes
        transaction = configuration.transaction
    }

    /// Whether the user can still answer.
    func isLive(at now: Int64) -> Bool {
        switch state {
        case .open, .started: now < expiry
        case .approved, .rejected, .aborted, .failed: false
        }
    }

    /// Why nobody can answer any more, if so.
    func refusal(at now: Int64) -> Refusal? {
        switch state {
        case .open, .started: now < expiry ? nil : .expired
        case .approved, .rejected, .failed: .finished
        case .aborted: .cancelled
        }
    }

    func status(at now: Int64) -> SimulatedLogin.Status {
        switch state {
        case .open, .started: now < expiry ? .waiting : .expired
        case .approved: .approved
        case .rejected: .denied
        case .aborted, .failed: .failed
        }
    }

    func value(of attribute: XignInSimulator.Attribute) -> JSON {
        JSON(attribute.value?.replacing("{{user}}", with: user))
    }

    /// The attributes as a device is told them.
    var info: JSON {
        .object(
            JSON.Object(
                attributes.map { attribute in
                    let description: JSON = [
                        "requirement": .string(attribute.requirement.rawValue),
                        "value": value(of: attribute),
                    ]
                    return (attribute.name, description)
                }))
    }

    /// The hash of the transaction's text, which an assertion must name.
    var transactionHash: String? { transaction.map { Data.hashText(of: Data($0.utf8)) } }
}
