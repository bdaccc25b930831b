import Testing

/// What these tests expect of a vendor that the programs link, each in the file of its name.
///
/// It is written apart from the programs' own lists, so that the two are compared.
struct ExpectedVendor {
    /// In the order in which the programs name them.
    static let all = [
        forgeRock, plusAuth, xignIn, oneSpan, powerAuth, privacyIDEA, keycloak,
    ]

    /// As the configuration and `--vendor` have them.
    static let names = all.map(\.name)

    /// The one with this name.
    static func named(_ name: String) throws -> ExpectedVendor {
        try #require(all.first { $0.name == name })
    }

    /// How a device hears that a login was taken back.
    enum Withdrawal { case byPush, byList }

    let name: String
    /// What its device asks from its registration to its answer.
    let exchanges: [String]
    /// Whether nothing is known of its servers without a section of the configuration.
    var needsSection = false
    /// Whether a push that was changed is known by its signature.
    var signsPushes = true
    /// Whether its server lists what waits, whatever became of the push.
    var listsWhatWaits = false
    /// `nil` where no login can be taken back.
    var withdrawal: Withdrawal?
    /// What `pushauth doctor` says of its accounts under each profile.
    var nist = "problem"
    var cisa = "problem"
}
