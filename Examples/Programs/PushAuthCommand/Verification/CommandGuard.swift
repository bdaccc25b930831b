import Foundation
import PushCore
import PushJOSE
import PushPlatform
import TerminalIO

/// What seals the keys that only answers need: a passphrase, or a key that is kept elsewhere.
///
/// What a descriptor brings is kept as long as the process lives, and so is a new passphrase; what
/// opens a guard is else read or asked for each time, and forgotten.
struct CommandGuard: KeyGuard {
    static let advice =
        "Give its passphrase or key by --guard-fd N or the systemd credential \(credential); a "
        + "passphrase may be typed at a terminal."
    private static let credential = "pushauth.guard"

    private let brought: Secret?
    private let prompt = Prompt()
    private let new = NewPassphrase()

    /// - Throws: `Failure` if nothing comes from the descriptor.
    init(descriptor: Int32?) throws(Failure) {
        do throws(PushError) {
            brought = try descriptor.map { (number) throws(PushError) in
                try Prompt().line(from: number)
            }
        } catch {
            throw Failure(error)
        }
    }

    /// Whether what a policy wants is at hand, or somebody can be asked.
    func canOpen(_ policy: GuardPolicy) -> Bool {
        brought != nil || Places().systemdCredential(Self.credential) != nil
            || (policy != .presence && prompt.isInteractive)
    }

    /// Asks for what a policy wants, before anything is sent.
    func prepare(_ policy: GuardPolicy) async throws(PushError) {
        switch policy {
        case .presence: _ = try key()
        case .deviceOwner: _ = try await newPassphrase()
        case .currentBiometry: throw Self.noSensor
        @unknown default: throw Self.noSensor
        }
    }

    func seal(_ part: Secret, under policy: GuardPolicy) async throws(PushError) -> Secret {
        switch policy {
        case .presence: return try await keyed.seal(part, under: policy)
        case .deviceOwner:
            return Secret(
                try await PasswordSeal.seal(
                    part, under: try await newPassphrase(), random: SystemRandom()))
        case .currentBiometry: throw Self.noSensor
        @unknown default: throw Self.noSensor
        }
    }

    func open(
        _ sealed: [Secret], for purpose: VerificationRequest.Purpose, title: String?
    ) async throws(PushError) -> [Secret] {
        var passphrase: Secret?
        var parts: [Secret] = []
        for sealed in sealed {
            // Whatever a passphrase seals begins so.
            guard sealed.withBytes({ $0.starts(with: Data("PUSHAUTH".utf8)) }) else {
                parts += try await keyed.open([sealed], for: purpose, title: title)
                continue
            }
            let known = if let passphrase { passphrase } else { try self.passphrase(title) }
            passphrase = known
            parts.append(try await open(sealed, with: known))
        }
        return parts
    }

    /// Nothing is kept elsewhere.
    func discard(_ sealed: Secret) async {}

    // MARK: Passphrases

    private func open(
        _ sealed: Secret, with passphrase: Secret
    ) async throws(PushError) -> Secret {
        do throws(PushError) {
            return try await PasswordSeal.open(sealed.withBytes { Data($0) }, with: passphrase)
        } catch {
            guard error.code == .verificationFailed else { throw error }
            throw PushError(.verificationFailed, "It isn't the passphrase of the guard.")
        }
    }

    private func passphrase(_ title: String?) throws(PushError) -> Secret {
        if let given = try given() { return given }
        guard prompt.isInteractive else {
            throw PushError.locked
        }
        let words = title.map { printable($0) + " " } ?? ""
        return try prompt.hidden(words + "Passphrase: ", otherwise: Self.advice)
    }

    private func newPassphrase() async throws(PushError) -> Secret {
        let passphrase =
            if let given = try given() { given } else { try await new.passphrase(by: prompt) }
        guard passphrase.count >= PasswordSeal.shortestPassword else {
            throw PushError(
                .verificationFailed,
                "The passphrase has fewer than \(PasswordSeal.shortestPassword) bytes.",
                underlying: Advice("Nothing has changed. Whoever has the store may try many."))
        }
        return passphrase
    }

    // MARK: What was given

    private func given() throws(PushError) -> Secret? {
        if let brought { return brought }
        guard let path = Places().systemdCredential(Self.credential) else { return nil }
        let descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw PushError(.storage, "The credential \(path) can't be read.")
        }
        defer { close(descriptor) }
        return try prompt.line(from: descriptor)
    }

    private var keyed: KeyedGuard {
        KeyedGuard(KeySource { () async throws(PushError) in try key() })
    }

    private func key() throws(PushError) -> Secret {
        guard let given = try given() else {
            throw PushError.locked
        }
        guard var key = given.withBytes({ Data(hexadecimal: $0) }), key.count == 32 else {
            throw PushError(
                .verificationFailed, "What was given for the guard is no key.",
                underlying: Advice("A key is 64 hexadecimal digits: `openssl rand -hex 32`."))
        }
        defer { key.resetBytes(in: key.indices) }
        return Secret(key)
    }

    private static let noSensor = PushError(
        .unsupported, "There is no sensor here that a guard could ask.")
}

/// A new passphrase, which is asked for once for all that a command seals.
private actor NewPassphrase {
    private var chosen: Secret?

    func passphrase(by prompt: Prompt) throws(PushError) -> Secret {
        if let chosen { return chosen }
        let first = try prompt.hidden("New passphrase: ", otherwise: CommandGuard.advice)
        let second = try prompt.hidden("The same again: ", otherwise: CommandGuard.advice)
        guard first.isEqualInConstantTime(to: second) else {
            throw PushError(
                .verificationFailed, "The two passphrases differ.",
                underlying: Advice("Nothing has changed. Try again."))
        }
        chosen = first
        return first
    }
}
