import PushCore

extension PowerAuthSimulator {
    /// How an operation may be approved.
    @nonexhaustive
    public enum Approval: Hashable, Sendable {
        /// By the device alone.
        case oneFactor
        /// By two factors, in one of these ways.
        case twoFactors([SignatureType])
    }
}

extension PowerAuthSimulator.Approval {
    var json: JSON {
        switch self {
        case .oneFactor: ["type": "1FA", "variants": []]
        case .twoFactors(let types):
            ["type": "2FA", "variants": .array(types.map { .string($0.rawValue) })]
        }
    }

    func allows(_ type: PowerAuthSimulator.SignatureType) -> Bool {
        switch self {
        case .oneFactor: type == .possession
        case .twoFactors(let types): types.contains(type)
        }
    }
}
