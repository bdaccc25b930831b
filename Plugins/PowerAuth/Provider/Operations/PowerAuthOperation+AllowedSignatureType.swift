import PushCore

extension PowerAuthOperation {
    /// What an approval is signed with.
    public struct AllowedSignatureType: Hashable, Sendable {
        /// How strong the signature must be.
        @nonexhaustive
        public enum Kind: String, Hashable, Sendable, CaseIterable {
            /// The possession of the device is enough.
            case oneFactor = "1FA"
            /// The possession, and the PIN or biometry.
            case twoFactor = "2FA"
            /// A signature by the device's own private key. This version can't make it.
            case ecdsa = "ECDSA"
        }

        /// How strong the signature must be: the member `type`.
        public let type: Kind

        /// Which signatures are taken, such as `possession_knowledge` and `possession_biometry`;
        /// empty for ``Kind/oneFactor``.
        public let variants: [String]

        /// A type that isn't known can't be signed, nor told apart from one that needs less.
        init(_ json: JSON?) throws(PushError) {
            let members = try Members(json)
            guard let type = Kind(rawValue: try members.text("type")) else {
                throw PushError(.malformed, "An operation asks for an unknown type of signature.")
            }
            self.type = type
            guard let variants = members["variants"] else {
                self.variants = []
                return
            }
            guard let array = variants.array else { throw Members.missing }
            self.variants = array.compactMap(\.string)
        }
    }
}

extension PowerAuthOperation.AllowedSignatureType {
    /// Which factors the user brings: alternatives, best first; `nil` if this device has none of
    /// them.
    ///
    /// - Parameter hasBiometry: Whether a biometry key was made for this activation.
    func verification(hasBiometry: Bool) -> [[Factor]]? {
        switch type {
        case .oneFactor:
            return variants.isEmpty || variants.contains("possession") ? [] : nil
        case .twoFactor:
            var alternatives: [[Factor]] = []
            if hasBiometry, variants.contains("possession_biometry") {
                alternatives.append([.biometry])
            }
            if variants.contains("possession_knowledge") { alternatives.append([.pin]) }
            return alternatives.isEmpty ? nil : alternatives
        case .ecdsa: return nil
        }
    }
}
