import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A call that is signed: its path, and what the signature names it.
struct SignedCall: Sendable {
    let path: String
    let uriID: String

    static let validate = SignedCall(
        path: "/pa/v3/signature/validate", uriID: "/pa/signature/validate")
    static let remove = SignedCall(path: "/pa/v3/activation/remove", uriID: "/pa/activation/remove")
    static let createToken = SignedCall(path: "/pa/v3/token/create", uriID: "/pa/token/create")
}

/// What a signature covers of a request.
struct SignedData: Sendable {
    /// In upper case.
    let method: String

    /// What the server names the resource.
    let uriID: String

    /// The bytes that are sent; of a GET, its parameters as ``CanonicalQuery`` writes them.
    let body: Data
}

extension JSON {
    /// The body of a call that only says why it is made.
    static func reason(_ reason: String) -> JSON {
        ["requestObject": ["reason": .string(reason)]]
    }
}

// MARK: Signing

extension PowerAuthChannel {
    /// Signs a body, sends exactly these bytes, and says what the server said.
    ///
    /// - Returns: The reply; give one that isn't a success to ``failure(_:of:factors:)`` before
    ///   anything is said of it.
    /// - Throws: `PushError` with the code `blocked` or `unknownEnrollment` if the server, asked
    ///   first where there is doubt, doesn't take this activation's signatures; `unreachable` if its
    ///   counter can't be made to follow, and one more signature could lose the activation.
    func signed(
        _ id: Enrollment.ID, _ call: SignedCall, body: Data, factors: PowerAuthFactors
    ) async throws(PushError) -> HTTPReply {
        try await prepareToSign(id)
        let header = try await signedHeader(
            for: id, uriID: call.uriID, body: body, factors: factors)
        return try await send(header, of: id, to: call.path, body: body)
    }

    /// Asks the server first where one more signature could lose the activation: what never arrives
    /// moves this device's counter, and not the server's.
    func prepareToSign(_ id: Enrollment.ID) async throws(PushError) {
        let record = try await active(id)
        guard record.ahead >= record.maximumLead else { return }
        try await requireActive(id)
        guard try PowerAuthRecord(try await vault.existing(id)).mayRunAhead else {
            throw PushError(
                .unreachable, "The server's counter can't be made to follow this device's now.")
        }
    }

    /// Signs a body, and sends nothing.
    ///
    /// The counter has moved, and that is on record, before there is a signature: if this process
    /// ends now, a value is left out, and none is ever used twice.
    ///
    /// - Returns: The header's value.
    /// - Throws: `PushError` with the code `blocked` or `unknownEnrollment` if the enrollment's state
    ///   doesn't allow it.
    func signedHeader(
        for id: Enrollment.ID, uriID: String, body: Data, factors: PowerAuthFactors
    ) async throws(PushError) -> String {
        try await signature(
            of: SignedData(method: "POST", uriID: uriID, body: body), for: id, factors
        ).header
    }

    /// Signs what a request is, as ``signedHeader(for:uriID:body:factors:)`` does.
    ///
    /// - Returns: The header's value, and the byte of the counter once the server took it; `nil` if the
    ///   byte isn't known.
    func signature(
        of data: SignedData, for id: Enrollment.ID, _ factors: PowerAuthFactors
    ) async throws(PushError) -> (header: String, counterByte: UInt8?) {
        let taken = try await takeCounter(of: id, factors)
        let application = configuration.application
        let nonce = environment.random.array(SignatureHeader.nonceCount)
        let text = RequestSignature.normalized(
            method: data.method, uriID: data.uriID, nonce: nonce, body: data.body,
            applicationSecret: application.secret)
        let header = try SignatureHeader(
            version: configuration.version, activationID: taken.activationID,
            applicationKey: application.key, nonce: nonce, factors: factors.factors,
            signature: try RequestSignature.online(
                keys: taken.keys, counter: taken.counter, over: text)
        ).text()
        return (header, taken.knowsByte ? taken.counter.byte &+ 1 : nil)
    }

    /// Sends a body that was signed before.
    func send(
        _ header: String, of id: Enrollment.ID, to path: String, body: Data
    ) async throws(PushError) -> HTTPReply {
        let reply = try await post(path, body, proof: (SignatureHeader.name, header))
        // A refusal for another reason comes after the signature was taken, but it isn't certain.
        if reply.isSuccess || reply.isEnvelope { await noteFollowed(id) }
        return reply
    }

    /// Now the server is as far as this device; written only once it matters.
    func noteFollowed(_ id: Enrollment.ID) async {
        guard let secret = try? await vault.secret(of: id),
            let record = try? PowerAuthRecord(secret), record.ahead >= record.maximumLead / 2
        else { return }
        _ = try? await vault.update(id) { (credential) throws(PushError) in
            var record = try PowerAuthRecord(credential)
            record.ahead = 0
            credential.secret = record.sealed
        }
    }
}

// MARK: The user

extension PowerAuthChannel {
    /// Whether biometry was set up for an activation.
    func hasBiometry(_ id: Enrollment.ID) async throws(PushError) -> Bool {
        let record = try PowerAuthRecord(try await vault.existing(id))
        return record.locked?.biometry != nil
    }

    /// Asks the user for PIN or biometry, to do what the server wants two factors for.
    ///
    /// - Throws: What the app's verifier throws; `PushError` with the code `verificationFailed` if it
    ///   brings neither.
    func twoFactors(
        of id: Enrollment.ID, _ record: PowerAuthRecord, to purpose: String
    ) async throws(PushError) -> PowerAuthFactors {
        var alternatives: [[Factor]] = [[.pin]]
        if record.locked?.biometry != nil { alternatives.append([.biometry]) }
        let evidence = try await environment.verifier.verify(
            VerificationRequest(.manage(id, purpose), alternatives: alternatives))
        return try PowerAuthFactors(two: evidence)
    }
}

// MARK: The counter

extension PowerAuthChannel {
    /// A counter's value that is this caller's alone, and the keys that sign with it.
    struct TakenCounter: Sendable {
        let activationID: String
        let counter: SignatureCounter

        /// Whether the counter's byte is the server's.
        let knowsByte: Bool
        let keys: [Secret]
    }

    /// Takes the counter's value, and keeps the next one, in one compare-and-set: two processes on
    /// one record never get the same.
    func takeCounter(
        of id: Enrollment.ID, _ factors: PowerAuthFactors
    ) async throws(PushError) -> TakenCounter {
        // Another process may change the PIN between the two steps; nobody does so three times.
        for _ in 0..<3 {
            let pin = try await stretched(factors, of: id)
            let taken = try await vault.update(id) { (credential) throws(PushError) in
                try Self.takeCounter(of: &credential, factors, pin)
            }
            if let taken { return taken }
        }
        throw PushError(.conflict, "The PIN is being changed.")
    }

    private static func takeCounter(
        of credential: inout Credential, _ factors: PowerAuthFactors, _ pin: PINLock.Stretched?
    ) throws(PushError) -> TakenCounter? {
        if let error = credential.enrollment.state.inactive { throw error }
        var record = try PowerAuthRecord(credential)
        guard let keys = try record.keys(for: factors, pin: pin) else { return nil }
        let counter = record.counter
        record.counter = counter.next()
        record.ahead += 1
        credential.secret = record.sealed
        return TakenCounter(
            activationID: record.activationID, counter: counter,
            knowsByte: record.knowsCounterByte, keys: keys)
    }

    /// The PIN, stretched outside the compare-and-set, which may run more than once.
    private func stretched(
        _ factors: PowerAuthFactors, of id: Enrollment.ID
    ) async throws(PushError) -> PINLock.Stretched? {
        guard let pin = factors.pin,
            let lock = try PowerAuthRecord(try await vault.existing(id)).locked?.knowledge
        else { return nil }
        return try await PINLock.Stretched(pin, for: lock)
    }
}
