import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What signatures are made over, and how.
enum Signature {
    /// A request as it is signed.
    struct Input {
        var method = "POST"
        let uriID: String
        let nonce: String
        let body: Data
        let secret: String

        var bytes: Data {
            let uri = Data(uriID.utf8).base64
            return Data("\(method)&\(uri)&\(nonce)&\(body.base64)&\(secret)".utf8)
        }
    }

    /// One code per factor. A later factor's key is chained to those between it and the first.
    static func components(_ keys: [Data], counter: Data, over bytes: Data) -> [Data] {
        let derived = keys.map { KeySchedule.mac($0, counter) }
        return keys.indices.map { index in
            let key = derived[1..<max(index + 1, 1)].reduce(derived[index]) { chained, factor in
                KeySchedule.mac(factor, chained)
            }
            return KeySchedule.mac(key, bytes)
        }
    }

    /// The form of versions 3.1 to 3.3.
    static func base64(_ components: [Data]) -> String {
        components.reduce(Data()) { $0 + $1.suffix(16) }.base64
    }

    /// The form of version 3.0, and offline.
    static func decimal(_ components: [Data], digits: Int) -> String {
        components.map { KeySchedule.decimal($0, digits: digits) }.joined(separator: "-")
    }
}

/// The header `X-PowerAuth-Authorization`, well formed.
struct SignatureHeader {
    let version: ProtocolVersion
    let activation: String
    let applicationKey: String
    let nonce: String
    let type: PowerAuthSimulator.SignatureType
    let signature: String

    init?(_ text: String?) {
        guard let header = CallHeader(text), let version = header.version("pa_version"),
            let activation = header.uuid("pa_activation_id"),
            let key = header["pa_application_key"], Data(base64: key, count: 16) != nil,
            let nonce = header["pa_nonce"], Data(base64: nonce, count: 16) != nil,
            let type = header["pa_signature_type"].flatMap({
                PowerAuthSimulator.SignatureType(rawValue: $0)
            }),
            let signature = header["pa_signature"],
            Self.isWellFormed(signature, in: version)
        else { return nil }
        self.version = version
        self.activation = activation
        applicationKey = key
        self.nonce = nonce
        self.type = type
        self.signature = signature
    }

    private static func isWellFormed(_ text: String, in version: ProtocolVersion) -> Bool {
        guard version == .v30 else {
            return [24, 44, 64].contains(text.utf8.count) && Data(base64: text) != nil
        }
        let groups = text.utf8.split(separator: 0x2D, omittingEmptySubsequences: false)
        return (1...3).contains(groups.count)
            && groups.allSatisfy { group in
                group.count == 8 && group.allSatisfy { (0x30...0x39).contains($0) }
            }
    }

    func isSignature(_ components: [Data]) -> Bool {
        let expected =
            version == .v30
            ? Signature.decimal(components, digits: 8) : Signature.base64(components)
        return Secret(expected.utf8).isEqualInConstantTime(to: Secret(signature.utf8))
    }
}

extension PowerAuthSimulator {
    /// Which factors a signature is made of, by the protocol's names.
    public enum SignatureType: String, Hashable, Sendable, CaseIterable {
        /// The device alone.
        case possession
        /// The PIN alone; no mobile flow uses it.
        case knowledge
        /// Biometry alone; no mobile flow uses it.
        case biometry
        /// The device and the PIN.
        case possessionKnowledge = "possession_knowledge"
        /// The device and biometry.
        case possessionBiometry = "possession_biometry"
        /// All three.
        case possessionKnowledgeBiometry = "possession_knowledge_biometry"
    }
}

extension PowerAuthSimulator.SignatureType {
    /// Two factors or more.
    static let strong: Set<Self> = [
        .possessionKnowledge, .possessionBiometry, .possessionKnowledgeBiometry,
    ]

    static let any = Set(allCases)

    static let withPossession = strong.union([.possession])

    var hasBiometry: Bool { rawValue.hasSuffix("biometry") }

    func keys(_ keys: ActivationKeys) -> [Data] {
        switch self {
        case .possession: [keys.possession]
        case .knowledge: [keys.knowledge]
        case .biometry: [keys.biometry]
        case .possessionKnowledge: [keys.possession, keys.knowledge]
        case .possessionBiometry: [keys.possession, keys.biometry]
        case .possessionKnowledgeBiometry: [keys.possession, keys.knowledge, keys.biometry]
        }
    }
}
