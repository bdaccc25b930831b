#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
