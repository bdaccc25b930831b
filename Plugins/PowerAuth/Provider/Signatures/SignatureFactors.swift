/// Which factors a signature proves, with their names in the header.
enum SignatureFactors: String, Sendable, CaseIterable {
    case possession
    case knowledge
    case biometry
    case possessionKnowledge = "possession_knowledge"
    case possessionBiometry = "possession_biometry"
    case possessionKnowledgeBiometry = "possession_knowledge_biometry"

    /// How many keys sign.
    var count: Int {
        switch self {
        case .possession, .knowledge, .biometry: 1
        case .possessionKnowledge, .possessionBiometry: 2
        case .possessionKnowledgeBiometry: 3
        }
    }
}
