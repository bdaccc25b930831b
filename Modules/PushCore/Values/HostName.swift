#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A host in the one form in which two of them can be compared.
///
/// Strict, as clients read more than one notation of an address: what it refuses has no form here
/// that could be compared with a rule's. It refuses whatever the web's rules for hosts do (WHATWG
/// URL Standard, "host parsing"), and the forms of an IPv4 address that they would rewrite.
package struct HostName: Hashable, Sendable {
    /// In lower case, without a trailing dot; an IPv6 address in its shortest form.
    package let text: String

    /// Whether it's an IP address.
    package let isAddress: Bool

    /// Reads a host.
    ///
    /// - Throws: `PushError` with the code `invalidArgument`.
    package init(_ host: String) throws(PushError) {
        guard host.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Self.refusal(
                "A host is written in ASCII without spaces, an international name as xn--….")
        }
        if host.utf8.contains(UInt8(ascii: ":")) || host.utf8.first == UInt8(ascii: "[") {
            text = try Self.address(host)
            isAddress = true
            return
        }
        let hasDot = host.utf8.last == UInt8(ascii: ".")
        let name = (hasDot ? host.dropLast() : host[...]).lowercased()
        let labels = name.utf8.split(
            separator: UInt8(ascii: "."), omittingEmptySubsequences: false
        ).map { Substring($0) }
        guard name.utf8.count <= 253, labels.allSatisfy(Self.isLabel), let last = labels.last else {
            throw Self.refusal(
                "A host is a name of letters, digits, hyphens and dots, without scheme and port.")
        }
        guard labels.allSatisfy({ !$0.hasPrefix("xn--") || Punycode.isValid($0) }) else {
            throw Self.refusal("The text after xn-- isn't an international name.")
        }
        text = name
        // A client that sees a number at the end reads all of it as an IPv4 address.
        isAddress = Self.isNumber(last)
        guard !isAddress || Self.isIPv4(labels) else {
            throw Self.refusal("An IPv4 address has four decimal numbers up to 255.")
        }
    }

    /// Whether it's `localhost`, or a name below it, which is this machine as well (RFC 6761 section
    /// 6.3).
    var isLocalhost: Bool { text == "localhost" || text.hasSuffix(".localhost") }

    private static func isLabel(_ label: Substring) -> Bool {
        (1...63).contains(label.utf8.count)
            && label.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
                default: false
                }
            }
    }

    /// Whether a client reads a name that ends with this label as an IPv4 address: it's all digits,
    /// or hexadecimal after `0x`.
    private static func isNumber(_ label: Substring) -> Bool {
        if label.hasPrefix("0x") { return label.dropFirst(2).allSatisfy(\.isHexDigit) }
        return label.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func isIPv4(_ parts: [Substring]) -> Bool {
        parts.count == 4 && parts.allSatisfy(isOctet)
    }

    private static func isOctet(_ label: Substring) -> Bool {
        guard label.utf8.count <= 3, let number = UInt8(label) else { return false }
        return String(number) == label
    }

    private static func address(_ host: String) throws(PushError) -> String {
        let hasBrackets = host.hasPrefix("[") && host.hasSuffix("]")
        let inner = String(hasBrackets ? host.dropFirst().dropLast() : host[...])
        var bytes = in6_addr()
        var text = [CChar](repeating: 0, count: 64)
        // Not every system's function is strict with an IPv4 address at the end.
        let tail = inner.parts(at: ":").last ?? ""
        let octets = tail.parts(at: ".")
        guard octets.count < 2 || isIPv4(octets), inet_pton(AF_INET6, inner, &bytes) == 1,
            inet_ntop(AF_INET6, &bytes, &text, socklen_t(text.count)) != nil
        else {
            throw refusal("A host with a colon is an IPv6 address; a port isn't part of a host.")
        }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private static func refusal(_ reason: String) -> PushError {
        PushError(.invalidArgument, reason)
    }
}
