import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Signatures of requests and of offline operations; the same in protocol versions 3.1 to 3.3.
enum RequestSignature {
    /// What stands in the application secret's place when an offline operation is signed.
    static let offlineSecret = Secret(copying: "offline")

    /// The bytes that a signature is made over:
    /// method, `uriID`, nonce, body and application secret, joined with `&`, the middle three in
    /// Base64.
    ///
    /// - Parameters:
    ///   - method: The HTTP method in upper case.
    ///   - uriID: The endpoint's documented constant, not its path.
    ///   - nonce: 16 random bytes, the same as in the header.
    ///   - body: The very bytes that are sent.
    ///   - applicationSecret: The secret as the text it is configured as.
    /// - Returns: The bytes.
    static func normalized(
        method: String = "POST", uriID: String, nonce: [UInt8], body: Data,
        applicationSecret: Secret
    ) -> Secret {
        let encoded =
            Base64Text.count(ofBytes: uriID.utf8.count) + Base64Text.count(ofBytes: nonce.count)
            + Base64Text.count(ofBytes: body.count)
        let count = method.utf8.count + encoded + 4 + applicationSecret.count
        return Secret(count: count) { output in
            var writer = ByteWriter(output)
            var uriID = uriID
            writer.put(method)
            writer.put(ascii: "&")
            uriID.withUTF8 { writer.put(base64: UnsafeRawBufferPointer($0)) }
            writer.put(ascii: "&")
            nonce.withUnsafeBytes { writer.put(base64: $0) }
            writer.put(ascii: "&")
            body.withUnsafeBytes { writer.put(base64: $0) }
            writer.put(ascii: "&")
            applicationSecret.withBytes { writer.put($0) }
        }
    }

    /// A signature as a header carries it: the last 16 bytes of each component, in one Base64 text
    /// of 24, 44 or 64 characters.
    ///
    /// The counter is used up by it: advance it, and keep that before the signature leaves.
    ///
    /// - Parameters:
    ///   - keys: The factors' keys, possession before knowledge before biometry.
    ///   - counter: The counter's current value.
    ///   - data: What ``normalized(method:uriID:nonce:body:applicationSecret:)`` made.
    /// - Returns: The Base64 text.
    /// - Throws: `PushError` with the code `invalidArgument` unless it is 1 to 3 keys of 16 bytes.
    static func online(
        keys: [Secret], counter: SignatureCounter, over data: Secret
    ) throws(PushError) -> String {
        try SignatureChain.withComponents(keys: keys, counter: counter, over: data) { components in
            // The last half of each moves to where the text needs it.
            for index in keys.indices {
                let tail = components[index * 32 + 16..<index * 32 + 32]
                UnsafeMutableRawBufferPointer(rebasing: components[(index * 16)...])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: tail))
            }
            return Base64Text.string(
                UnsafeRawBufferPointer(rebasing: components[..<(keys.count * 16)]))
        }
    }

    /// A signature that the user copies: decimal digits for each factor, joined with a hyphen.
    ///
    /// The counter is used up by it, as by one that is sent.
    ///
    /// - Parameters:
    ///   - keys: The factors' keys, possession before knowledge before biometry.
    ///   - counter: The counter's current value.
    ///   - data: What ``normalized(method:uriID:nonce:body:applicationSecret:)`` made.
    ///   - digits: How many digits each factor gets: 4 to 8.
    /// - Returns: The digits.
    /// - Throws: `PushError` with the code `invalidArgument` for another number of digits or keys.
    static func offline(
        keys: [Secret], counter: SignatureCounter, over data: Secret, digits: Int = 8
    ) throws(PushError) -> String {
        guard 4...8 ~= digits else {
            throw PushError(.invalidArgument, "An offline signature has 4 to 8 digits a factor.")
        }
        let count = keys.count * (digits + 1) - 1
        return try SignatureChain.withComponents(
            keys: keys, counter: counter, over: data
        ) { components in
            String(unsafeUninitializedCapacity: count) { output in
                for index in keys.indices {
                    let start = index * (digits + 1)
                    if index > 0 { output[start - 1] = UInt8(ascii: "-") }
                    DecimalCode.write(
                        UnsafeRawBufferPointer(
                            rebasing: components[index * 32..<index * 32 + 32]),
                        to: UnsafeMutableRawBufferPointer(
                            rebasing: UnsafeMutableRawBufferPointer(output)[
                                start..<start + digits]))
                }
                return count
            }
        }
    }
}

/// The chain of HMACs that a signature consists of.
enum SignatureChain {
    private static let size = FastHMAC.byteCount

    /// Lends the signature's components, 32 bytes each, one for each factor, in memory that is zeroed
    /// afterwards.
    ///
    /// With `H(k, m)` for HMAC-SHA256 and `c` for the counter's value, component `i` is made from
    /// `d = H(kᵢ, c)`: for each `j` from 1 to `i`, `d` becomes `H(H(kⱼ, c), d)`, and the component is
    /// `H(d, data)`. So the first key has no part in any component but its own.
    ///
    /// - Parameters:
    ///   - keys: The factors' keys, possession before knowledge before biometry: 1 to 3, of 16
    ///     bytes each.
    ///   - counter: The counter, which the caller advances and keeps.
    ///   - data: What is signed.
    ///   - body: What is done with the components, one after the other.
    /// - Returns: What `body` returns.
    /// - Throws: `PushError` with the code `invalidArgument` for other keys.
    static func withComponents<Value>(
        keys: [Secret], counter: SignatureCounter, over data: Secret,
        _ body: (UnsafeMutableRawBufferPointer) -> Value
    ) throws(PushError) -> Value {
        guard 1...3 ~= keys.count, keys.allSatisfy({ $0.count == 16 }) else {
            throw PushError(.invalidArgument, "A signature takes 1 to 3 keys of 16 bytes each.")
        }
        let workspaceCount = FastHMAC.scratchCount + (keys.count + 1) * size
        return Workspace.lend(workspaceCount + keys.count * size) { memory in
            let workspace = UnsafeMutableRawBufferPointer(rebasing: memory[..<workspaceCount])
            let output = UnsafeMutableRawBufferPointer(rebasing: memory[workspaceCount...])
            write(keys, counter.data, data, workspace: workspace, to: output)
            return body(output)
        }
    }

    /// The workspace holds the HMAC's scratch, then each key's HMAC of the counter, then `d`.
    private static func write(
        _ keys: [Secret], _ counter: Secret, _ data: Secret,
        workspace: UnsafeMutableRawBufferPointer, to output: UnsafeMutableRawBufferPointer
    ) {
        let scratch = UnsafeMutableRawBufferPointer(rebasing: workspace[..<FastHMAC.scratchCount])
        func slot(_ index: Int) -> UnsafeMutableRawBufferPointer {
            let start = FastHMAC.scratchCount + index * size
            return UnsafeMutableRawBufferPointer(rebasing: workspace[start..<start + size])
        }
        func authenticate(
            _ message: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer,
            _ target: UnsafeMutableRawBufferPointer
        ) {
            FastHMAC.authenticate(message, key: key, scratch: scratch, into: target)
        }
        counter.withBytes { counter in
            for index in keys.indices {
                keys[index].withBytes { authenticate(counter, $0, slot(index)) }
            }
        }
        let link = slot(keys.count)
        data.withBytes { data in
            for index in keys.indices {
                link.copyMemory(from: UnsafeRawBufferPointer(slot(index)))
                for inner in 0..<index {
                    authenticate(
                        UnsafeRawBufferPointer(link), UnsafeRawBufferPointer(slot(inner + 1)), link)
                }
                let component = UnsafeMutableRawBufferPointer(
                    rebasing: output[index * size..<(index + 1) * size])
                authenticate(data, UnsafeRawBufferPointer(link), component)
            }
        }
    }
}
