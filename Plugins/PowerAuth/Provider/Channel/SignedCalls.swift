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

extension SignedData {
    /// What a signature covers of one of the server's own calls.
    init(_ call: SignedCall, _ body: Data) {
        self.init(method: "POST", uriID: call.uriID, body: body)
    }
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
        _ account: Account, _ call: SignedCall, body: Data, factors: PowerAuthFactors
    ) async throws(PushError) -> HTTPReply {
        try await prepareToSign(account)
        let (header, _) = try await signature(of: SignedData(call, body), for: account, factors)
        return try await send(header, of: account, to: call.path, body: body)
    }

    /// Asks the server first where one more signature could lose the activation: what never arrives
    /// moves this device's counter, and not the server's.
    func prepareToSign(_ account: Account) async throws(PushError) {
        let record = try await active(account)
        guard record.ahead >= record.maximumLead else { return }
        try await requireActive(account)
        guard try account.record.mayRunAhead else {
            throw PushError(
                .unreachable, "The server's counter can't be made to follow this device's now.")
        }
    }

    /// Signs a request, and sends nothing.
    ///
    /// The counter has moved, and that is on record, before there is a signature: if this process
    /// ends now, a value is left out, and none is ever used twice.
    ///
    /// - Returns: The header's value, and the byte of the counter once the server took it; `nil` if the
    ///   byte isn't known.
    /// - Throws: `PushError` with the code `blocked` or `unknownEnrollment` if the state doesn't
    ///   allow it.
    func signature(
        of data: SignedData, for account: Account, _ factors: PowerAuthFactors
    ) async throws(PushError) -> (header: String, counterByte: UInt8?) {
        let taken = try await takeCounter(of: account, factors)
        let nonce = environment.random.array(SignatureHeader.nonceCount)
        let header = try header(of: data, by: taken, nonce: nonce)
        return (header, taken.knowsByte ? taken.counter.byte &+ 1 : nil)
    }

    /// The signature's header, once the counter's value is taken.
    func header(
        of data: SignedData, by taken: TakenCounter, nonce: [UInt8]
    ) throws(PushError) -> String {
        let application = configuration.application
        let text = RequestSignature.normalized(
            method: data.method, uriID: data.uriID, nonce: nonce, body: data.body,
            applicationSecret: application.secret)
        return try SignatureHeader(
            version: configuration.version, activationID: taken.activationID,
            applicationKey: application.key, nonce: nonce, factors: taken.factors,
            signature: try RequestSignature.online(
                keys: taken.keys, counter: taken.counter, over: text)
        ).text()
    }

    /// Sends a body that was signed before.
    func send(
        _ header: String, of account: Account, to path: String, body: Data
    ) async throws(PushError) -> HTTPReply {
        let reply = try await post(path, body, proof: (SignatureHeader.name, header))
        // A refusal for another reason comes after the signature was taken, but it isn't certain.
        if reply.isSuccess || reply.isEnvelope { await noteFollowed(account) }
        return reply
    }

    /// Now the server is as far as this device; written only once it matters.
    func noteFollowed(_ account: Account) async {
        guard let record = try? account.record, record.ahead >= record.maximumLead / 2 else {
            return
        }
        _ = try? await account.change { (record: inout PowerAuthRecord, _) in record.ahead = 0 }
    }
}

// MARK: The user

extension PowerAuthRecord {
    /// Whether biometry was set up.
    var hasBiometry: Bool { locked?.biometry != nil }

    /// How the user proves two factors: by biometry, too, where it was set up.
    var twoFactors: [[Factor]] { hasBiometry ? [[.pin], [.biometry]] : [[.pin]] }
}

extension PowerAuthChannel {
    /// Asks the user for PIN or biometry, to do what the server wants two factors for: a guard opens
    /// biometry, or else there is the PIN.
    ///
    /// - Throws: What the guard or the app's verifier throws; `PushError` with the code
    ///   `verificationFailed` if it brings neither.
    func twoFactors(
        of account: Account, to purpose: String
    ) async throws(PushError) -> PowerAuthFactors {
        let purpose = VerificationRequest.Purpose.manage(account.id, purpose)
        var alternatives = try account.record.twoFactors
        if account.isGuarded, try account.record.hasBiometry {
            do throws(PushError) {
                return try PowerAuthFactors(two: [try await account.biometry(for: purpose)])
            } catch  where [.guardLost, .verificationFailed, .locked].contains(error.code) {
                alternatives = [[.pin]]
            }
        }
        let evidence = try await environment.verifier.verify(
            VerificationRequest(purpose, alternatives: alternatives))
        return try PowerAuthFactors(two: evidence)
    }
}

// MARK: The counter

/// A counter's value that is this caller's alone, and the keys that sign with it.
struct TakenCounter: Sendable {
    let activationID: String
    let counter: SignatureCounter

    /// Whether the counter's byte is the server's.
    let knowsByte: Bool

    let factors: SignatureFactors
    let keys: [Secret]
}

extension PowerAuthRecord {
    /// Takes the counter's value, and keeps the next one. Two processes on one record never get the
    /// same, as only one of them can write it.
    ///
    /// - Parameters:
    ///   - factors: What signs.
    ///   - pin: Their PIN, stretched before; `nil` if there is none.
    ///   - state: The enrollment's.
    /// - Returns: The value, with the keys that sign.
    /// - Throws: `PushError` with the code `blocked` or `unknownEnrollment` if the state doesn't
    ///   allow it, `verificationFailed` if biometry wasn't set up, `conflict` if the PIN was
    ///   changed since it was stretched.
    mutating func takeCounter(
        for factors: PowerAuthFactors, pin: PINLock.Stretched?, in state: Enrollment.State
    ) throws(PushError) -> TakenCounter {
        if let error = state.inactive { throw error }
        guard let keys = try keys(for: factors, pin: pin) else {
            throw PushError(.conflict, "The PIN was changed meanwhile.")
        }
        let taken = TakenCounter(
            activationID: activationID, counter: counter, knowsByte: knowsCounterByte,
            factors: factors.factors, keys: keys)
        counter = counter.next()
        ahead += 1
        return taken
    }
}

extension PowerAuthChannel {
    /// Takes the counter's value in the middle of an exchange: the next one is on record when this
    /// returns.
    func takeCounter(
        of account: Account, _ factors: PowerAuthFactors
    ) async throws(PushError) -> TakenCounter {
        // Another process may change the PIN between the two steps; nobody does so three times.
        for _ in 0..<3 {
            let pin = try await stretched(factors, of: account)
            let taken = try await account.change {
                (record: inout PowerAuthRecord, enrollment) throws(PushError) -> TakenCounter? in
                do throws(PushError) {
                    return try record.takeCounter(for: factors, pin: pin, in: enrollment.state)
                } catch  where error.code == .conflict {
                    // Returned, so that the account has the new lock.
                    return nil
                }
            }
            if let taken { return taken }
        }
        throw PushError(.conflict, "The PIN is being changed.")
    }

    /// An answer that is signed in the write that decides, with the counter's value of then.
    ///
    /// - Parameters:
    ///   - factors: What signs.
    ///   - account: The activation.
    ///   - answer: Makes the answer. It may run more than once, so it must have no other effect.
    /// - Returns: What signs it, with the PIN stretched.
    /// - Throws: `PushError` with the code `malformed` if the record is damaged.
    func signing(
        by factors: PowerAuthFactors, of account: Account,
        _ answer: @escaping @Sendable (TakenCounter) throws(PushError) -> Answer
    ) async throws(PushError) -> Signing {
        let pin = try await stretched(factors, of: account)
        return Signing { (record: inout PowerAuthRecord, enrollment) throws(PushError) -> Answer in
            try answer(record.takeCounter(for: factors, pin: pin, in: enrollment.state))
        }
    }

    /// The PIN, stretched for the lock in hand before the write, which may run more than once.
    private func stretched(
        _ factors: PowerAuthFactors, of account: Account
    ) async throws(PushError) -> PINLock.Stretched? {
        guard let pin = factors.pin, let lock = try account.record.locked?.knowledge else {
            return nil
        }
        return try await PINLock.Stretched(pin, for: lock)
    }
}
