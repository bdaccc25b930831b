import Crypto
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An envelope that was opened, and what its answer is sealed with.
struct OpenedEnvelope {
    let plain: Data
    let envelope: ECIESEnvelope
    let session: ECIESSession
}

extension PowerAuthSimulator {
    /// Opens an envelope; `nil` for whatever is wrong with it.
    ///
    /// The code is checked before anything is decrypted, and only a right one counts as seen.
    func open(_ json: JSON?, sharedInfo: String, in scope: ECIESScope) -> OpenedEnvelope? {
        guard let envelope = ECIESEnvelope(json, version: scope.version),
            isTimely(envelope), let key = key(for: envelope, in: scope),
            let session = envelope.session(with: key, sharedInfo: sharedInfo, in: scope)
        else { return nil }
        let name = [envelope.ephemeral.base64, envelope.nonce.base64, scope.replayName]
            .joined(separator: " ")
        guard seen[name] == nil, let plain = session.open(envelope) else { return nil }
        note(name)
        return OpenedEnvelope(plain: plain, envelope: envelope, session: session)
    }

    /// Remembers what must not come twice, until it would be too old anyway.
    func note(_ name: String) {
        let now = configuration.now
        if seen.count >= 1000 {
            let window = max(
                configuration.tokenLifetime.inMilliseconds
                    + configuration.tokenFuture.inMilliseconds,
                configuration.replayWindow.inMilliseconds * 2)
            seen = seen.filter { now - $0.value <= window }
        }
        seen[name] = now
    }

    private func isTimely(_ envelope: ECIESEnvelope) -> Bool {
        guard let timestamp = envelope.timestamp else { return true }
        let window = configuration.replayWindow.inMilliseconds
        let age = configuration.now.subtractingReportingOverflow(Int64(clamping: timestamp))
        guard !age.overflow, age.partialValue >= -window else { return false }
        return !configuration.refusesOldEnvelopes || age.partialValue <= window
    }

    private func key(
        for envelope: ECIESEnvelope, in scope: ECIESScope
    ) -> P256.KeyAgreement.PrivateKey? {
        guard envelope.version >= .v33 else {
            guard let id = scope.activation?.id else { return scope.application.masterKey }
            return activations[id]?.serverKey
        }
        guard let temporary = envelope.temporaryKey.flatMap({ temporaryKeys[$0] }),
            temporary.application == scope.application.key,
            temporary.activation == scope.activation?.id, temporary.expiry > configuration.now
        else { return nil }
        return temporary.key
    }

    /// The scope of a request that is signed as well: the signature's header says it all.
    func scope(of header: SignatureHeader) -> ECIESScope? {
        guard let application = application(header.applicationKey),
            let activation = activations[header.activation], let keys = activation.keys,
            activation.state == .active || activation.state == .blocked
        else { return nil }
        return ECIESScope(
            version: header.version, application: application,
            activation: (activation.id, keys.transport))
    }

    /// Seals an answer.
    ///
    /// - Throws: The refusal that stands for a broken server.
    func seal(
        _ plain: JSON, to opened: OpenedEnvelope, spoiledBy fault: BadAnswer? = nil
    ) throws(Refusal) -> JSON.Object {
        var plain = plain
        var session = opened.session
        if case .replaced(let member, let value) = fault, var members = plain.object {
            members[member] = value
            plain = .object(members)
        }
        if fault == .wrongKey { session = session.withOtherKeys(configuration.random.data(48)) }
        guard
            var members = session.seal(
                plain.data, to: opened.envelope, nonce: configuration.random.data(16),
                at: UInt64(clamping: configuration.now))
        else { throw .generic }
        if fault == .tampered, var mac = Data(base64: members["mac"]?.string, count: 32) {
            mac[31] ^= 1
            members["mac"] = .string(mac.base64)
        }
        return members
    }
}
