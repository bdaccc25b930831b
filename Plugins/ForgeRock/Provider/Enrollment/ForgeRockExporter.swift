import PushCore

/// What of an enrollment may leave a device, and how it comes to another one.
///
/// All its secrets were AM's to give, and none is bound to the device. AM answers to one device of
/// a push mechanism, and takes each counter once: these move. Codes by time work on two devices at
/// once.
struct ForgeRockExporter: EnrollmentExporter {
    let accounts: Accounts
    let hosts: AllowedHosts

    func exportability(of credential: Credential) throws(PushError) -> Exportability {
        let kept = try ForgeRockCredential(reading: credential.secret)
        let content = try Secret.Record(reading: kept.portable.sealed)
        let isCopied = !kept.takesPushes && kept.codes?.isCounted == false
        return isCopied ? .copies(content) : .moves(content)
    }

    func credential(
        from content: Secret.Record, for enrollment: Enrollment, known: Credential?
    ) throws(PushError) -> Credential {
        var arrived = try ForgeRockCredential(reading: content.sealed).portable
        try check(arrived)
        if let known {
            let kept = try ForgeRockCredential(reading: known.secret)
            guard kept.isOfSameMechanism(as: arrived) else {
                throw PushError(.conflict, "Another enrollment has the mechanism's identifier.")
            }
            try arrived.catchUp(with: kept)
        }
        var enrollment = enrollment
        enrollment.takesDeviceToken = arrived.takesPushes
        enrollment.host = nil
        if arrived.takesPushes {
            let server = try arrived.authenticationEndpoint
            enrollment.host = server.host
            enrollment.port = server.port
        }
        return Credential(enrollment, secret: arrived.sealed)
    }

    func claim(of credential: Credential) async throws(PushError) -> String? {
        let arrived = try ForgeRockCredential(reading: credential.secret)
        let enrollment = credential.enrollment
        let claim = AccountClaim(
            accounts: accounts, issuer: enrollment.issuer, account: enrollment.account)
        if !arrived.takesPushes, let codes = arrived.codes {
            return try await claim.text(ofCodes: codes)
        }
        if arrived.codes != nil { try await claim.requireNoCodes() }
        return try await claim.text()
    }

    /// What a code to scan would be refused for.
    private func check(_ arrived: ForgeRockCredential) throws(PushError) {
        guard arrived.codes?.secret.count != 0 else {
            throw PushError(.malformed, "The secret of the codes is empty.")
        }
        guard arrived.takesPushes else { return }
        try hosts.checkStored(try arrived.registrationEndpoint, try arrived.authenticationEndpoint)
    }
}
