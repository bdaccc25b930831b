import PushCore

extension AuthenticateRequest {
    /// What an approval releases, checked against what the manager asked.
    ///
    /// - Throws: `PushError` with the code `invalidResolution` if a choice is missing or wrong,
    ///   `verificationFailed` if the evidence isn't enough for the role.
    func approval(
        _ consent: AuthenticationUserInformation?, _ evidence: [Evidence]
    ) throws(PushError) -> XignInDecision.Approval {
        if let consent, !isAbout(sameProcessAs: consent.request) {
            throw Self.invalid("The \(Self.consentType) is about another process.")
        }
        let role = try chosenRole(consent)
        let attributes = try releasedAttributes(consent)
        let alternatives = suppliable(role)
        guard !alternatives.isEmpty else { throw Self.insufficient }
        let pin = evidence.pin
        let biometry = evidence.biometricSecret
        let covered = alternatives.first { types in
            types.allSatisfy { type in
                switch type {
                case .pin: pin != nil
                case .biometric: biometry != nil
                case .device: true
                case .unknown: false
                }
            }
        }
        guard let covered else {
            throw PushError(.verificationFailed, "The role asks for other factors.")
        }
        return XignInDecision.Approval(
            request: self, role: role, attributes: attributes,
            pin: covered.contains(.pin) ? pin : nil,
            biometry: covered.contains(.biometric) ? biometry : nil)
    }

    /// What the role asks for isn't set up on this device.
    static let insufficient = PushError(
        .unsupported, "This device can't supply the factors that the role asks for.",
        underlying: XignSecurityInsufficientError())

    /// Where the app says what the user agreed to.
    private static let consentType = "AuthenticationUserInformation"

    private func isAbout(sameProcessAs other: AuthenticateRequest) -> Bool {
        processId.utf8.elementsEqual(other.processId.utf8)
            && idmIdentifier.utf8.elementsEqual(other.idmIdentifier.utf8)
    }

    private func chosenRole(_ consent: AuthenticationUserInformation?) throws(PushError) -> Role {
        if let id = consent?.role {
            guard let role = roles.first(where: { $0.id == id }) else {
                throw Self.invalid("The chosen role isn't offered: \(Self.consentType).role.")
            }
            return role
        }
        guard roles.count == 1, let role = roles.first else {
            throw Self.invalid(
                "There are several roles, so the user must choose: \(Self.consentType).role.")
        }
        return role
    }

    private func releasedAttributes(
        _ consent: AuthenticationUserInformation?
    ) throws(PushError) -> [String] {
        let required = info.attributes.filter(\.isRequired).map(\.name)
        guard let released = consent?.attributes else { return required }
        guard released.isSubset(of: info.attributes.map(\.name)) else {
            throw Self.invalid("An attribute isn't asked for: \(Self.consentType).attributes.")
        }
        guard released.isSuperset(of: required) else {
            throw Self.invalid("A required attribute is kept back: \(Self.consentType).attributes.")
        }
        return info.attributes.map(\.name).filter(released.contains)
    }

    private static func invalid(_ reason: String) -> PushError {
        PushError(.invalidResolution, reason)
    }
}
