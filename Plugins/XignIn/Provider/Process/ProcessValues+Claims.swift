import PushCore

// How OXRW/1 writes what a process is about.

extension ServiceInformation {
    init(_ answer: Claims) throws(PushError) {
        let service = try answer.object("service")
        self.init(id: try service.identifier("id"), name: try service.text("name"))
    }
}

extension OrganizationInformation {
    init(_ answer: Claims) throws(PushError) {
        let organization = try answer.object("organization")
        self.init(
            name: try organization.optionalText("name"),
            website: try organization.optionalText("website_url"),
            address: try organization.optionalText("address"),
            description: try organization.optionalText("description"))
    }
}

extension AuthenticateRequest.Role {
    /// More than anybody could choose from.
    private static let greatestCount = 32

    static func all(in answer: Claims) throws(PushError) -> [Self] {
        var roles: [Self] = []
        let values = try answer.array("roles")
        guard values.count <= greatestCount else { throw Claims.wrong("roles") }
        for value in values {
            let role = Claims(value.object ?? [:])
            var alternatives: [[AuthenticatorType]] = []
            let lists = try role.array("requested_authenticators")
            guard lists.count <= greatestCount else {
                throw Claims.wrong("requested_authenticators")
            }
            for alternative in lists {
                let names = alternative.array?.compactMap(\.string)
                guard let names, names.count == alternative.array?.count else {
                    throw Claims.wrong("requested_authenticators")
                }
                alternatives.append(names.map(AuthenticatorType.init(name:)))
            }
            roles.append(
                Self(
                    id: try role.identifier("id"), name: try role.text("name"),
                    requestedAuthenticators: alternatives))
        }
        guard Set(roles.map(\.id)).count == roles.count else { throw Claims.wrong("roles") }
        return roles
    }
}

extension AuthenticationPersonalInformation {
    init(_ answer: Claims) throws(PushError) {
        var attributes: [AuthenticationInformation] = []
        for (name, value) in try answer.object("info").members.members {
            // The answer names what it releases, so each name must be one, and be alone.
            guard Identifier.isValid(name), !attributes.contains(where: { $0.name == name }) else {
                throw Claims.wrong("info")
            }
            let attribute = Claims(value.object ?? [:])
            guard
                let requirement = AuthenticationInformation.Requirement(
                    rawValue: try attribute.text("requirement"))
            else { throw Claims.wrong("requirement") }
            attributes.append(
                AuthenticationInformation(
                    name: name, requirement: requirement,
                    value: try attribute.optionalText("value")))
        }
        self.init(attributes)
    }
}

extension ActivationRecord {
    /// The factors that this activation can supply.
    func authenticators(_ access: XignInAccess) -> Set<AuthenticatorType> {
        var types: Set<AuthenticatorType> = [.device]
        if pin != nil { types.insert(.pin) }
        if biometry != nil, access.biometricKeys != nil { types.insert(.biometric) }
        return types
    }
}
