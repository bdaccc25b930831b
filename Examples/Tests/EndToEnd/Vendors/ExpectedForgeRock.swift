extension ExpectedVendor {
    static let forgeRock = ExpectedVendor(
        name: "forgerock", exchanges: ["registration", "answer"], cisa: "warning")
}
