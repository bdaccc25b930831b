import PushCore

extension AuthenticateRequest {
    private static let transactionLabel = "Transaction"

    /// What is shown, in order: who asks, what for, and what would be told.
    var fields: [Challenge.Field] {
        let organization = organizationInformation
        let known: [(String, String?)] = [
            ("Service", serviceInformation.name), ("Organization", organization.name),
            ("Website", organization.website), ("Address", organization.address),
            ("Description", organization.description), (Self.transactionLabel, transaction),
        ]
        return known.compactMap { label, value in value.map { Challenge.Field(label, $0) } }
            + info.attributes.map { Challenge.Field($0.name, $0.value ?? "") }
    }

    /// Approve or reject, unless what would be signed can't be shown, or nothing could sign it.
    var prompt: Challenge.Prompt {
        if let transaction, Challenge.Field(Self.transactionLabel, transaction).value != transaction
        {
            return .denyOnly("The text to sign can't be shown as it is.")
        }
        guard info.attributes.allSatisfy({ Challenge.Field($0.name, "").label == $0.name }) else {
            return .denyOnly("The name of an attribute can't be shown as it is.")
        }
        if roles.isEmpty { return .denyOnly("The manager offers no role.") }
        if isBeyondThisDevice {
            return .denyOnly("This device can't supply the factors that the manager asks for.")
        }
        return .approve
    }
}
