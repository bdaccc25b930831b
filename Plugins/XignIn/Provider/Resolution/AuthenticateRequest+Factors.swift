import PushCore

extension AuthenticateRequest {
    /// The roles whose factors this device can supply.
    var suppliableRoles: [Role] {
        roles.filter { !suppliable($0).isEmpty }
    }

    /// Whether there are roles, and this device can't supply the factors of any.
    var isBeyondThisDevice: Bool { !roles.isEmpty && suppliableRoles.isEmpty }

    /// Whether this device can supply what a role asks for; any role, if none of them is chosen.
    func isWithinThisDevice(role id: String?) -> Bool {
        guard let chosen = roles.first(where: { $0.id == id }) else { return !isBeyondThisDevice }
        return !suppliable(chosen).isEmpty
    }

    /// The combinations of a role that this device can supply.
    func suppliable(_ role: Role) -> [[AuthenticatorType]] {
        role.requestedAuthenticators.filter { $0.allSatisfy(availableAuthenticators.contains) }
    }

    /// How the user is verified. The user chooses the role only in the answer, so where there are
    /// several, what is asked for is enough for each of them.
    var verification: [[Factor]] {
        // Sets of sets, as there are few factors, and perhaps many roles with many alternatives.
        var alternatives: Set<Set<Factor>> = [[]]
        for role in suppliableRoles {
            let own = Set(suppliable(role).map { Set($0.compactMap(\.factor)) })
            alternatives = Set(alternatives.flatMap { before in own.map(before.union) })
        }
        let least = alternatives.filter { one in
            !alternatives.contains { $0.isStrictSubset(of: one) }
        }
        // The possession of the device costs nothing, so there may be nothing to ask for.
        guard !least.contains([]) else { return [] }
        let inOrder: [[Factor]] = [[.biometry], [.pin], [.biometry, .pin]]
        return inOrder.filter { least.contains(Set($0)) }
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
