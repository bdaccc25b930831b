public import PushCore
import PushJOSE

/// What one-time codes are made with: the second half of an `mfauth` code, and all of an `otpauth` code.
public struct OneTimeCodeParameters: Sendable {
    /// What counts the codes.
    @nonexhaustive
    public enum Kind: Hashable, Sendable {
        /// Time (RFC 6238): how long a code lasts, in seconds, at least 1.
        case totp(period: Int)
        /// A counter (RFC 4226): that of the next code.
        case hotp(counter: Int64)
    }

    /// What counts the codes.
    public internal(set) var kind: Kind

    /// `secret`, decoded; empty while its guard is locked.
    public internal(set) var secret: Secret

    /// The hash: `SHA1`, `SHA256` or `SHA512`.
    public let algorithm: String

    /// How many digits a code has, 6 to 8.
    public let digits: Int

    /// `oid`: AM's identifier of the one-time-code device profile, from AM 8.0.1.
    public let resourceID: String?

    /// One more than the last counter that is used; whoever writes such a counter made a mistake.
    static let lastCounter: Int64 = 1 << 53

    private static let longestPeriod = 24 * 60 * 60

    /// Creates parameters.
    ///
    /// - Throws: `PushError` with the code `malformed`, or `unsupported` for another hash.
    init(
        _ kind: Kind, secret: Secret, algorithm: String, digits: Int, resourceID: String?
    ) throws(PushError) {
        switch kind {
        case .totp(let period):
            guard 1...Self.longestPeriod ~= period else {
                throw PushError(.malformed, "The period of the codes is out of range.")
            }
        case .hotp(let counter):
            guard 0..<Self.lastCounter ~= counter else {
                throw PushError(.malformed, "The counter is out of range.")
            }
        }
        guard 6...8 ~= digits else {
            throw PushError(.malformed, "The digits of the codes aren't 6 to 8.")
        }
        guard OTPAlgorithm(rawValue: algorithm) != nil else {
            throw PushError(.unsupported, "The codes' hash isn't SHA-1, SHA-256 or SHA-512.")
        }
        self.kind = kind
        self.secret = secret
        self.algorithm = algorithm
        self.digits = digits
        self.resourceID = resourceID
    }

    /// Whether a counter, and not time, counts the codes.
    var isCounted: Bool {
        switch kind {
        case .totp: false
        case .hotp: true
        }
    }

    /// The same with another counter.
    func counted(
        _ change: (Int64) throws(PushError) -> Int64
    ) throws(PushError) -> OneTimeCodeParameters {
        guard case .hotp(let counter) = kind else { return self }
        var changed = self
        changed.kind = .hotp(counter: try change(counter))
        return changed
    }
}

// MARK: Enrollment codes

extension OneTimeCodeParameters {
    /// Reads the one-time-code half of a code; `nil` if it has none.
    ///
    /// - Throws: `PushError` with the code `invalidInvitation`; the reason names the parameter.
    init?(_ parameters: EnrollmentURIParameters) throws(PushError) {
        guard let text = parameters["secret"], parameters.host != "push" else { return nil }
        let kind: Kind
        if parameters.host == "hotp" {
            kind = .hotp(counter: try Self.number("counter", in: parameters, else: 0))
        } else {
            let period = try Self.number("period", in: parameters, else: 30)
            kind = .totp(period: Int(clamping: period))
        }
        let digits = try Self.number("digits", in: parameters, else: 6)
        do throws(PushError) {
            try self.init(
                kind, secret: try CodeSecret.read(text),
                algorithm: parameters["algorithm"].flatMap { $0.isEmpty ? nil : $0.uppercased() }
                    ?? "SHA1",
                digits: Int(clamping: digits), resourceID: parameters.decoded("oid"))
        } catch {
            throw PushError(
                .invalidInvitation, "The parameters of the one-time codes: \(error.reason)",
                underlying: error)
        }
    }

    /// Decimal digits; the default where there are none.
    private static func number(
        _ name: String, in parameters: EnrollmentURIParameters, else absent: Int64
    ) throws(PushError) -> Int64 {
        guard let text = parameters[name], !text.isEmpty else { return absent }
        guard text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int64(text) else {
            throw EnrollmentURIParameters.invalid(name, "is not a whole number")
        }
        return number
    }
}

/// The Base32 text of a secret, as lenient as the vendor's apps, so that what they enrolled can be read.
enum CodeSecret {
    /// Any case; blanks, hyphens and padding anywhere; `0`, `1` and `8` for the letters `O`, `L` and `B`.
    static func read(_ text: String) throws(PushError) -> Secret {
        let kept = text.utf8.compactMap { byte -> UInt8? in
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "="): nil
            case UInt8(ascii: "0"): UInt8(ascii: "O")
            case UInt8(ascii: "1"): UInt8(ascii: "L")
            case UInt8(ascii: "8"): UInt8(ascii: "B")
            default: byte
            }
        }
        let secret = try Base32.secret(
            from: String(decoding: kept, as: UTF8.self), as: .anyTrailingBits)
        guard secret.count > 0 else {
            throw PushError(.malformed, "The secret of the codes is empty.")
        }
        return secret
    }
}

// MARK: Records

extension OneTimeCodeParameters {
    /// Reads what ``json`` wrote.
    ///
    /// - Throws: `PushError` with the code `malformed`.
    init(_ json: JSON, secret: Secret) throws(PushError) {
        let reader = try MemberReader(json)
        let kind: Kind =
            if let counter = try reader.optional("counter", { $0.integer }) {
                .hotp(counter: counter)
            } else {
                .totp(period: Int(clamping: try reader.required("period") { $0.integer }))
            }
        try self.init(
            kind, secret: secret, algorithm: try reader.text("algorithm"),
            digits: Int(clamping: try reader.required("digits") { $0.integer }),
            resourceID: try reader.optionalText("id"))
    }

    /// Everything but the secret.
    var json: JSON {
        var members: JSON.Object = [
            "algorithm": .string(algorithm), "digits": .integer(digits),
        ]
        switch kind {
        case .totp(let period): members["period"] = .integer(period)
        case .hotp(let counter): members["counter"] = .integer(counter)
        }
        members["id"] = resourceID.map(JSON.string)
        return .object(members)
    }
}
