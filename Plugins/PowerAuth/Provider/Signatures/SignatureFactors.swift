/// Which factors a signature proves, with their names in the header. Three others are documented, and
/// no call here needs them.
enum SignatureFactors: String, Sendable, CaseIterable {
    case possession
    case possessionKnowledge = "possession_knowledge"
    case possessionBiometry = "possession_biometry"
}
