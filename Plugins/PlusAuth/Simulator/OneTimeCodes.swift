import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PlusAuthSimulator.Configuration {
    /// What one-time codes are made with, and how invitations say so.
    public struct CodeParameters: Hashable, Sendable {
        /// The hash.
        @nonexhaustive
        public enum Algorithm: String, Hashable, Sendable, CaseIterable {
            /// HMAC with SHA-1.
            case sha1 = "SHA1"
            /// HMAC with SHA-256, the vendor's choice.
            case sha256 = "SHA256"
            /// HMAC with SHA-512.
            case sha512 = "SHA512"
        }

        /// The hash.
        public var algorithm = Algorithm.sha256

        /// How many digits a code has, 6 to 8.
        public var digits = 6

        /// How long a code lasts, in whole seconds.
        public var period = 30

        /// Whether invitations don't name algorithm, digits and period.
        public var isUnsaid = false

        /// Creates the documented parameters.
        public init() {}
    }
}

extension PlusAuthSimulator {
    /// What the login page says to a one-time code.
    @nonexhaustive
    public enum CodeVerdict: Hashable, Sendable {
        /// The user is logged in.
        case accepted
        /// It isn't the code of any of the user's devices now, nor one step before or after.
        case incorrect
        /// It was right, but it or a later one has counted already.
        case alreadyUsed
        /// It isn't a code at all.
        case invalid
        /// The login is over.
        case over

        /// The page's word for it; which word means which is UNCONFIRMED.
        var word: String {
            switch self {
            case .accepted: "xhr_request"
            case .incorrect: "incorrect_code"
            case .alreadyUsed: "code_already_used"
            case .invalid: "invalid_code"
            case .over: "code_expired"
            }
        }
    }
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
