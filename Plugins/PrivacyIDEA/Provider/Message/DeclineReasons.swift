import PushCore

extension PrivacyIDEA {
    /// Why the user said no, in the vendor's words.
    @nonexhaustive
    public enum DeclineReason: String, Hashable, Sendable, CaseIterable {
        /// The user didn't start this login. The server records it as a report.
        case unknownTrigger = "unknown_trigger"
        /// The user did, and doesn't go on.
        case cancelled
    }
}

extension PrivacyIDEA.DeclineReason {
    /// The vendor's word for a reason; `nil` if it has none.
    init?(_ reason: DenyReason) {
        switch reason {
        case .unexpected, .fraud: self = .unknownTrigger
        case .ignore: self = .cancelled
        case .custom: return nil
        @unknown default: return nil
        }
    }

    /// The reasons that a server has signed that it knows, for one challenge.
    ///
    /// A server that doesn't know them refuses the whole answer, so what can't be read counts as none.
    ///
    /// - Throws: `PushError` with the code `untrusted` if the signature is wrong, or another
    ///   challenge's.
    static func known(
        in fields: ChallengeFields, by key: ServerKey
    ) throws(PushError) -> Set<PrivacyIDEA.DeclineReason> {
        guard let capabilities = object(in: fields.capabilities),
            let signed = CanonicalJSON.text(
                ["capabilities": .object(capabilities), "nonce": .string(fields.nonce)]),
            let signature = fields.capabilitiesSignature
        else { return [] }
        guard key.verifies(signature, over: Array(signed.utf8)) else {
            throw PushError(.untrusted, "The signature of the server's capabilities is wrong.")
        }
        switch capabilities["decline_reason"] {
        case nil, .bool(false): return []
        case .object(let limits):
            guard let values = limits["values"]?.array else { return Set(allCases) }
            return Set(
                values.compactMap { $0.string.flatMap(PrivacyIDEA.DeclineReason.init(rawValue:)) })
        default: return Set(allCases)
        }
    }

    private static func object(in json: JSON?) -> JSON.Object? {
        switch json {
        case .object(let object): object
        case .string(let text): (try? JSON(parsing: text))?.object
        default: nil
        }
    }
}
