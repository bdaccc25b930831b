public import PushCore
import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PrivacyIDEASimulator {
    /// Makes a token for a user, and invites a device to enroll it.
    ///
    /// - Throws: `PushError` with the codes of ``enrollmentURI(for:serial:)``: `unsupported` or
    ///   `invalidArgument`.
    public func invitation(for user: String) throws(PushError) -> Invitation {
        .scanned(text: try enrollmentURI(for: user))
    }

    /// Makes a token for a user; the text of its QR code.
    ///
    /// A serial that is there already is enrolled once more, a *rollover*: its old keys stay until a
    /// device has used the new code. The parameters stand in the order of the real server's code,
    /// which means nothing.
    ///
    /// - Parameters:
    ///   - user: Whose token it is.
    ///   - serial: Its name; `nil` for the server's choice.
    /// - Returns: The text.
    /// - Throws: `PushError` with the code `unsupported` if the configuration asks for what the
    ///   release doesn't have, `invalidArgument` for a serial that can't be, or another user's.
    public func enrollmentURI(for user: String, serial: String? = nil) throws(PushError) -> String {
        try checkRelease()
        let serial = serial ?? newSerial()
        guard !serial.isEmpty, serial.utf8.allSatisfy(Self.isSerial) else {
            throw PushError(.invalidArgument, "A serial has letters, digits, - and _.")
        }
        let credential = configuration.random.bytes(20).withBytes { Hexadecimal.text($0) }
        var token =
            tokens[serial] ?? PushToken(serial: serial, user: user, number: tokens.count)
        guard token.user == user else {
            throw PushError(.invalidArgument, "The serial is another user's.")
        }
        token.credential = Secret(copying: credential)
        tokens[serial] = token
        return code(of: token, credential)
    }

    private func checkRelease() throws(PushError) {
        let generation = configuration.generation
        let asksForNew = configuration.usesPIAScheme || configuration.appUnlock != nil
        guard generation >= .v313 || !asksForNew,
            generation.hasCapabilities || configuration.gateway != .http
        else { throw PushError(.unsupported, "The release doesn't have what is asked for.") }
    }

    private func code(of token: PushToken, _ credential: String) -> String {
        let flag = { (value: Bool) in value ? "True" : "False" }
        var query: [(String, String)] = [
            ("url", origin + configuration.path), ("ttl", "\(configuration.codeLifetime)"),
            ("issuer", configuration.issuer), ("enrollment_credential", credential),
        ]
        if let image = configuration.image { query.append(("image", image)) }
        query += [
            ("v", "1"), ("serial", token.serial),
            ("sslverify", configuration.asksToVerifyTLS ? "1" : "0"),
        ]
        if configuration.generation.hasPresence {
            query.append(("poll_only", flag(configuration.gateway == .pollOnly)))
        }
        if configuration.forcesAppPIN {
            query.append(("pin", flag(true)))
            if configuration.appUnlock == nil, configuration.generation.hasPresence {
                query.append(("app_force_unlock", "pin"))
            }
        }
        if let unlock = configuration.appUnlock { query.append(("app_force_unlock", unlock)) }
        let text = query.map { "\($0)=\(Self.escaped($1))" }.joined(separator: "&")
        let scheme = configuration.usesPIAScheme ? "pia" : "otpauth"
        return "\(scheme)://pipush/\(Self.escaped(token.serial))?\(text)"
    }

    /// `PIPU`, a counter and hexadecimal digits, and none that is taken.
    private func newSerial() -> String {
        let count = "\(tokens.count)"
        let counter = String(repeating: "0", count: max(0, 4 - count.count)) + count
        while true {
            let digits = configuration.random.bytes(2).withBytes {
                Hexadecimal.text($0, upperCase: true)
            }
            let serial = "PIPU\(counter)\(digits)"
            if tokens[serial] == nil { return serial }
        }
    }

    private static func isSerial(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }

    /// Percent-encodes all but unreserved characters and `/`.
    private static func escaped(_ text: String) -> String {
        text.percentEncoded(keeping: "-._~/")
    }

    /// Step 2: a device brings its key. Any text is taken for one, and looked at later.
    ///
    /// That the lock is looked at after the credential is UNCONFIRMED.
    func enroll(_ fields: RequestFields) throws(Refusal) -> Success {
        let serial = try fields.required("serial")
        let shown = try fields.required("enrollment_credential")
        let deviceToken = try fields.required("fbtoken")
        let publicKey = try fields.required("pubkey")
        guard var token = tokens[serial], let credential = token.credential else {
            throw .notWaiting
        }
        guard credential.isEqualInConstantTime(to: Secret(copying: shown)) else {
            throw .wrongCredential
        }
        guard !token.isLocked else { throw .locked }
        guard let key = try? configuration.serverKeys.next() else { throw .internalError }
        token.credential = nil
        token.keys = PushToken.Keys(device: StoredKey(publicKey), server: key)
        token.deviceToken = deviceToken
        tokens[serial] = token
        return Success(
            value: true,
            detail: JSON.Object([
                ("public_key", .string(key.lines)), ("rollout_state", "enrolled"),
                ("serial", .string(serial)), Success.thread,
            ]))
    }
}
