import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a verified push says. AM writes every value as a string, numbers too.
struct PushClaims: Sendable {
    /// `k`: what the push asks for. Absent means `default`.
    enum Kind: Hashable, Sendable {
        case known(PushNotification.PushType)
        case unknown
    }

    /// `c`: the challenge to sign.
    let challenge: [UInt8]

    /// `l`: the load-balancer cookie to send back.
    let cookie: String?

    /// `t`: how long the push may be answered, in seconds.
    let timeToLive: Double

    /// `i`: when AM made the push, by AM's clock; when it arrived if AM doesn't say.
    var issued: Date

    /// `i` as AM signed it, in milliseconds since 1970; `nil` if AM doesn't say.
    let signedTime: Double?

    /// `m`: the text to show.
    let message: String?

    /// Whether there is a text to show that can't be read.
    let hasUnreadableMessage: Bool

    let kind: Kind

    /// `n`: the numbers to choose from, as text.
    let numbers: String?

    /// The numbers to choose from, in order.
    let options: [Int]

    /// Whether AM sent options that aren't numbers, and so were left out.
    let hasUnreadableOptions: Bool

    /// `d`: AM's user name.
    let user: String?

    /// `p`: the custom payload, JSON as text.
    var customPayload: String? { Self.jsonText(all["p"]) }

    /// `x`: where the request came from, JSON as text.
    var contextInfo: String? { Self.jsonText(all["x"]) }

    /// All claims, as AM signed them.
    let all: JSON.Object

    var expiry: Date { issued + timeToLive }

    /// Reads claims whose signature held.
    ///
    /// - Parameters:
    ///   - claims: The claims.
    ///   - received: When the push arrived, by AM's clock if that is known; it counts where AM doesn't
    ///     say, and `nil` leaves it to the caller to set ``issued`` then.
    /// - Throws: `PushError` with the code `malformed`; the reason names the claim.
    init(_ claims: JSON.Object, received: Date?) throws(PushError) {
        guard let challenge = Self.bytes("c", in: claims), !challenge.isEmpty else {
            throw PushError(.malformed, "The push has no challenge: claim c.")
        }
        self.challenge = challenge
        cookie = try Self.cookie(in: claims)
        timeToLive = try Self.timeToLive(claims["t"])
        signedTime = claims["i"].flatMap(Self.decimal)
        issued =
            signedTime.map { Date(timeIntervalSince1970: $0 / 1000) } ?? received ?? .distantPast
        let shown = claims["m"]
        message = shown?.string
        hasUnreadableMessage = Self.isUnreadableText(shown)
        kind = Self.kind(claims["k"])
        let asksNumber = kind == .known(.challenge)
        let offered = asksNumber ? claims["n"] : nil
        numbers = offered?.string
        let plain = numbers.flatMap(Self.plainOptions)
        let parts = plain == nil ? numbers.map(Self.parts) ?? [] : []
        options = plain ?? parts.compactMap(Self.number)
        hasUnreadableOptions =
            options.count < parts.count || Self.isUnreadableText(offered)
        user = claims["d"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        all = claims
    }

    private static func kind(_ claim: JSON?) -> Kind {
        guard let claim else { return .known(.default) }
        guard let text = claim.string else { return .unknown }
        // AM writes it in lower case.
        return
            (PushNotification.PushType(rawValue: text)
            ?? PushNotification.PushType(rawValue: text.lowercased())).map(Kind.known)
            ?? .unknown
    }

    /// What a claim stands for in Base64; `nil` if there is none or it can't be read.
    private static func bytes(_ name: String, in claims: JSON.Object) -> [UInt8]? {
        claims.withText(name) { try? Base64.bytes(from: $0, as: .anyAlphabet) } ?? nil
    }

    private static func cookie(in claims: JSON.Object) throws(PushError) -> String? {
        guard let bytes = bytes("l", in: claims), !bytes.isEmpty else { return nil }
        guard !Cookie.isSafe(bytes) else { return String(decoding: bytes, as: UTF8.self) }
        guard String(validUTF8: bytes) == nil else {
            throw PushError(.malformed, "The push has a cookie that breaks a header: claim l.")
        }
        return nil
    }

    private static func timeToLive(_ claim: JSON?) throws(PushError) -> Double {
        guard let claim else { return 120 }
        guard let seconds = decimal(claim), seconds > 0 else {
            throw PushError(.malformed, "The push has no usable time to live: claim t.")
        }
        return seconds
    }

    /// The numbers in a text of digits and commas alone, as AM writes it; `nil` for any other.
    private static func plainOptions(_ text: String) -> [Int]? {
        var options: [Int] = []
        options.reserveCapacity(4)
        var option: Int?
        for byte in text.utf8 {
            if byte == UInt8(ascii: ",") {
                if let option { options.append(option) }
                option = nil
                continue
            }
            guard 0x30...0x39 ~= byte, option ?? 0 < 1_000_000_000 else { return nil }
            option = (option ?? 0) * 10 + Int(byte - 0x30)
        }
        if let option { options.append(option) }
        return options
    }

    /// What stands between commas.
    private static func parts(of text: String) -> [Substring] {
        text.parts(at: ",").map(\.trimmed).filter { !$0.isEmpty }
    }

    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int(text) : nil
    }

    /// Whether a claim that holds a text holds something else.
    private static func isUnreadableText(_ claim: JSON?) -> Bool {
        switch claim {
        case nil, .null?, .string?: false
        default: true
        }
    }

    /// A finite number, written as one or as decimal text.
    private static func decimal(_ claim: JSON) -> Double? {
        if let number = claim.double { return number }
        guard let text = claim.string else { return nil }
        // Most are a few digits.
        if let number = text.utf8.withContiguousStorageIfAvailable(shortInteger) ?? nil {
            return Double(number)
        }
        guard text.utf8.allSatisfy(isOfNumber), let number = Double(text), number.isFinite else {
            return nil
        }
        return number
    }

    /// A number of digits alone, so few that a double holds it exactly; `nil` for any other text.
    private static func shortInteger(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
        guard 1...15 ~= text.count else { return nil }
        var number = 0
        for byte in text {
            guard 0x30...0x39 ~= byte else { return nil }
            number = number * 10 + Int(byte - 0x30)
        }
        return number
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
            UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }

    /// JSON as text, or JSON that AM might one day nest instead.
    private static func jsonText(_ claim: JSON?) -> String? {
        switch claim {
        case .string(let text)?: text
        case nil, .null?: nil
        default: claim?.text
        }
    }
}

extension Substring {
    /// The text without the white space around it.
    var trimmed: Substring {
        let start = drop(while: \.isWhitespace)
        let end = start.lastIndex { !$0.isWhitespace }
        return end.map { start[...$0] } ?? ""
    }
}
