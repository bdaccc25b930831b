import PushCore

extension AuthenticateRequest {
    /// The roles whose factors this device can supply.
    var suppliableRoles: [Role] {
        roles.filter { !suppliable($0).isEmpty }
    }

    /// The combinations of a role that this device can supply.
    func suppliable(_ role: Role) -> [[AuthenticatorType]] {
        role.requestedAuthenticators.filter { $0.allSatisfy(availableAuthenticators.contains) }
    }

    /// How the user is verified. The user chooses the role only in the answer, so where there are
    /// several, what is asked for is enough for each of them.
    var verification: [[Factor]] {
        var alternatives: [Set<Factor>] = [[]]
        for role in suppliableRoles {
            let own = suppliable(role).map { Set($0.compactMap(\.factor)) }
            alternatives = alternatives.flatMap { before in own.map(before.union) }
        }
        let least = alternatives.filter { one in
            !alternatives.contains { $0.isStrictSubset(of: one) }
        }
        // The possession of the device costs nothing, so there may be nothing to ask for.
        guard !least.contains([]) else { return [] }
        var asked: [[Factor]] = []
        for factors in least {
            let inOrder = [Factor.biometry, .pin].filter(factors.contains)
            if !asked.contains(inOrder) { asked.append(inOrder) }
        }
        return asked
    }
}

extension AuthenticatorType {
    /// What the user must bring for it; `nil` for nothing.
    var factor: Factor? {
        switch self {
        case .pin: .pin
        case .biometric: .biometry
        case .device, .unknown: nil
        }
    }
}
