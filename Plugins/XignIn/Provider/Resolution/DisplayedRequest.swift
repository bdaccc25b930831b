import PushCore

/// What a request looks like to the user: its fields, and whether it can be approved.
struct DisplayedRequest {
    let request: AuthenticateRequest

    private enum Label: String, CaseIterable {
        case service = "Service"
        case organization = "Organization"
        case website = "Website"
        case address = "Address"
        case description = "Description"
        case role = "Role"
        case transaction = "Transaction"
    }

    /// What is shown, in order: who asks, what for, and what would be told. Of several roles the user
    /// chooses one.
    var fields: [Challenge.Field] {
        let organization = request.organizationInformation
        var known: [(Label, String?)] = [
            (.service, request.serviceInformation.name), (.organization, organization.name),
            (.website, organization.website), (.address, organization.address),
            (.description, organization.description),
        ]
        known += request.roles.map { (.role, $0.name) }
        known.append((.transaction, request.transaction))
        return known.compactMap { label, value in
            value.map { Challenge.Field(label.rawValue, $0) }
        } + request.info.attributes.map { Challenge.Field($0.name, $0.value ?? "") }
    }

    /// Approve or reject, unless a part of what would be approved can't be read or shown, or nothing
    /// could sign it.
    var prompt: Challenge.Prompt {
        if let obstacle = request.approvalObstacle ?? displayObstacle { return .denyOnly(obstacle) }
        if request.roles.isEmpty { return .denyOnly("The manager offers no role.") }
        if request.isBeyondThisDevice {
            return .denyOnly("This device can't supply the factors that the manager asks for.")
        }
        return .approve
    }

    /// What of it wouldn't be shown as it is; `nil` if all would.
    private var displayObstacle: String? {
        if let transaction = request.transaction {
            // Its very bytes are signed.
            guard Self.shown(transaction).utf8.elementsEqual(transaction.utf8), !transaction.isBlank
            else {
                return "The text to sign can't be shown as it is."
            }
        }
        let service = request.serviceInformation.name
        if service.isBlank || !DisplayText.isPlainBody(service) {
            return "The service's name is missing, or can't be shown as it is."
        }
        let organization = request.organizationInformation
        let words = [
            organization.name, organization.website, organization.address,
            organization.description,
        ]
        guard words.compactMap(\.self).allSatisfy(DisplayText.isPlainBody) else {
            return "The organization can't be shown as it is."
        }
        return roleObstacle ?? attributeObstacle
    }

    private var roleObstacle: String? {
        let names = request.roles.map(\.name)
        guard names.allSatisfy({ !$0.isBlank && DisplayText.isPlainBody($0) }) else {
            return "The name of a role is missing, or can't be shown as it is."
        }
        return Set(names).count == names.count ? nil : "Two roles have the same name."
    }

    private var attributeObstacle: String? {
        let attributes = request.info.attributes
        guard attributes.allSatisfy({ Challenge.Field($0.name, "").label == $0.name }) else {
            return "The name of an attribute can't be shown as it is."
        }
        guard attributes.allSatisfy({ Label(rawValue: $0.name) == nil }) else {
            return "An attribute has the name of something else that is shown."
        }
        guard attributes.compactMap(\.value).allSatisfy(DisplayText.isPlainBody) else {
            return "The value of an attribute can't be shown as it is."
        }
        return nil
    }

    private static func shown(_ text: String) -> String {
        Challenge.Field(Label.transaction.rawValue, text).value
    }
}

extension String {
    /// Whether there is nothing to see in it.
    fileprivate var isBlank: Bool { allSatisfy(\.isWhitespace) }
}
