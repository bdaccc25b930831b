import Crypto
import Foundation
import PushCore

@testable import PushPlatform
@testable import PushSealing

extension Inner {
    private static let tenant = "acme"

    /// The keys that the seeds' MACs are made with: 32 bytes 1, 32 bytes 2.
    private static let storeKeys = [1, 2].map { (byte: UInt8) in
        Secret([UInt8](repeating: byte, count: 32))
    }

    /// Reads a text as a sealed store's header and as that of a store in files; and the same with a
    /// right sum, which no mutation finds.
    public static func sealedHeader(_ bytes: UnsafeRawBufferPointer) -> StaticString? {
        let text = String(decoding: bytes, as: UTF8.self)
        let sum = SHA256.hash(data: Data(text.utf8))
            .map { String($0 >> 4, radix: 16) + String($0 & 0xF, radix: 16) }.joined()
        for text in [text, "\(text)sum \(sum)\n"] {
            if let broken = checkedSealed(text) ?? checkedFiles(text) { return broken }
        }
        return nil
    }

    private static func checkedFiles(_ text: String) -> StaticString? {
        do throws(PushError) {
            let header = try StoreHeader(reading: Array(text.utf8), at: "/store/header")
            return header.text == text ? nil : "a store's header is what it is written as"
        } catch {
            return error.code == .storage ? nil : "what is no header is the store's fault"
        }
    }

    private static func checkedSealed(_ text: String) -> StaticString? {
        let header: SealedHeader
        do throws(PushError) {
            header = try SealedHeader(reading: Secret(text.utf8))
        } catch {
            return error.code == .storage ? nil : "what is no header is the store's fault"
        }
        guard header.value.isEqualInConstantTime(to: Secret(text.utf8)) else {
            return "a header is what it is written as"
        }
        guard header.generation > 0, Set(header.ids).count == header.ids.count,
            text.hasPrefix("push-auth sealed store 1\ngeneration \(header.generation)\nkey ")
        else { return "a header names its generation, and each key once" }
        for secret in storeKeys {
            guard let keys = try? StoreKeys(secret, for: .records) else { return "there are keys" }
            let isVouched = vouches(secret, keys.id, text)
            guard header.names(by: keys, for: tenant) == nil || isVouched else {
                return "a header without its key's MAC is refused"
            }
            guard header.names(by: keys, for: "other") == nil else {
                return "a header is a tenant's"
            }
            guard let ring = try? SealedKeyring.Ring(header, [keys], of: tenant) else { continue }
            guard isVouched, header.ids.first == keys.id, ring.current.id == keys.id else {
                return "what is sealed is sealed with the first key, which vouches"
            }
        }
        return nil
    }

    /// Whether a key vouches for a header, told without the SDK.
    private static func vouches(_ secret: Secret, _ id: String, _ text: String) -> Bool {
        guard let macs = text.range(of: "mac ") else { return false }
        let key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: secret.withBytes { SymmetricKey(data: $0) },
            info: Data("push-auth sealed store 1 header".utf8), outputByteCount: 32)
        let signed =
            Data([0, 0, 0, UInt8(tenant.utf8.count)]) + Data(tenant.utf8)
            + Data(text[..<macs.lowerBound].utf8)
        let mac = Data(HMAC<SHA256>.authenticationCode(for: signed, using: key))
            .base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
        return text.contains("\nmac \(id) \(mac)\n")
    }

    /// A header that keys vouch for, without its sum: a seed.
    static func sealedSeed(_ generation: UInt64, _ count: Int) -> String? {
        let keys = storeKeys.prefix(count).compactMap { try? StoreKeys($0, for: .records) }
        guard let first = keys.first else { return nil }
        return try? SealedHeader(generation: generation, keys, keeping: first.nameRoot, for: tenant)
            .value.copiedText()
    }
}
