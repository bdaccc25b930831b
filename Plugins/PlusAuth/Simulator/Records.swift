import PushCore
import PushJOSE
import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A QR code that was shown, by its context token.
struct OpenInvitation {
    let user: String
    var code: CodeSecret
    let uri: String
    let expiry: Date
    var isUsed = false
}

/// What makes one-time codes, and which of them have counted.
struct CodeSecret {
    let secret: Secret
    let parameters: PlusAuthSimulator.Configuration.CodeParameters
    /// The last step whose code counted.
    private var lastStep: UInt64?

    init(secret: Secret, parameters: PlusAuthSimulator.Configuration.CodeParameters) {
        self.secret = secret
        self.parameters = parameters
    }

    /// Takes a code if it is right and new.
    mutating func spend(_ code: String, at now: Date) -> PlusAuthSimulator.CodeVerdict {
        let padding = String(repeating: "0", count: max(parameters.digits - code.utf8.count, 0))
        guard let step = try? generator().verify(padding + code, at: now) else {
            return .incorrect
        }
        guard lastStep.map({ step > $0 }) ?? true else { return .alreadyUsed }
        lastStep = step
        return .accepted
    }

    func generator() throws(PushError) -> TOTP {
        try TOTP(
            secret: secret, algorithm: OTPAlgorithm(parameters.algorithm),
            digits: parameters.digits, period: parameters.period)
    }
}

extension OTPAlgorithm {
    init(_ algorithm: PlusAuthSimulator.Configuration.CodeParameters.Algorithm) {
        switch algorithm {
        case .sha1: self = .sha1
        case .sha256: self = .sha256
        case .sha512: self = .sha512
        }
    }
}

/// A push credential in the tenant's store, private key included.
struct PushCredential {
    let user: String
    let device: PlusAuthSimulator.RegisteredDevice
    /// The half that pushes are signed with; the device sent it.
    let privateKey: AccountPrivateKey
    /// The name that pushes call that half by; which of two names a split key has is UNCONFIRMED.
    let signingKeyID: String
    /// The half that answers are verified with.
    let publicKey: AccountPublicKey
    var code: CodeSecret
    /// The `jti` of each answer that counted.
    var answers: Set<String> = []

    var id: String { device.id }
}

/// A login page and what it waits for.
struct Login {
    /// What the push asks for, its claim `type`.
    enum Strategy: String { case code, prompt }

    let user: String
    let strategy: Strategy
    let flow: PlusAuthSimulator.Configuration.Flow
    /// The candidates of a `code`, and the one of them on the page.
    let values: [String]
    let shown: String?
    /// The enrollment token of the QR code on the page, while it shows one.
    var openInvitation: String?
    var expiry: Date
    var sent: Date?
    var pushes: [SimulatedPush] = []
    var answers: [PlusAuthSimulator.ReceivedAnswer] = []
    /// Where it ended.
    var end: SimulatedLogin.Status?
}

/// The context token of a push.
struct IssuedToken {
    let login: SimulatedLogin.ID
    /// Who may use it.
    let credentials: [PlusAuthSimulator.RegisteredDevice.ID]
    let expiry: Date
}

/// Counts requests in a sliding window.
struct RequestCounter {
    private var taken: [Date] = []

    /// Takes one more request, or says how long to wait.
    mutating func count(
        at now: Date, upTo limit: PlusAuthSimulator.Configuration.RateLimit?
    ) throws(Rejection) {
        guard let limit else {
            taken = []
            return
        }
        taken.removeAll { $0 <= now - 60 || $0 > now }
        let inSecond = taken.filter { $0 > now - 1 }
        var wait: TimeInterval = 0
        if inSecond.count >= limit.perSecond {
            wait = (inSecond.first ?? now).addingTimeInterval(1).timeIntervalSince(now)
        }
        if taken.count >= limit.perMinute {
            wait = max(wait, (taken.first ?? now).addingTimeInterval(60).timeIntervalSince(now))
        }
        guard wait == 0 else { throw .tooManyRequests(wait: wait) }
        taken.append(now)
    }
}

extension Duration {
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}

extension Date {
    /// Whole seconds since 1970, rounded down, as claims have them.
    var claim: JSON { .number(JSON.Number(Int64(timeIntervalSince1970.rounded(.down)))) }
}
