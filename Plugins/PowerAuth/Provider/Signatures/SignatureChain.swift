import PushCore
import PushJOSE

/// The chain of HMACs that a signature consists of.
enum SignatureChain {
    private static let size = FastHMAC.byteCount

    /// The signature's components, 32 bytes each, one for each factor.
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
    /// - Throws: `PushError` with the code `invalidArgument` for other keys.
    static func components(
        keys: [Secret], counter: SignatureCounter, over data: Secret
    ) throws(PushError) -> Secret {
        guard 1...3 ~= keys.count, keys.allSatisfy({ $0.count == 16 }) else {
            throw PushError(.invalidArgument, "A signature takes 1 to 3 keys of 16 bytes each.")
        }
        return Secret(count: keys.count * size) { output in
            let workspace = Secret(count: FastHMAC.scratchCount + (keys.count + 1) * size) {
                write(keys, counter.data, data, workspace: $0, to: output)
            }
            _ = workspace
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
        for (index, key) in keys.enumerated() {
            key.withBytes { key in
                counter.withBytes { authenticate($0, key, slot(index)) }
            }
        }
        let link = slot(keys.count)
        for index in keys.indices {
            link.copyMemory(from: UnsafeRawBufferPointer(slot(index)))
            for inner in 0..<index {
                authenticate(
                    UnsafeRawBufferPointer(link), UnsafeRawBufferPointer(slot(inner + 1)), link)
            }
            let component = UnsafeMutableRawBufferPointer(
                rebasing: output[index * size..<(index + 1) * size])
            data.withBytes { authenticate($0, UnsafeRawBufferPointer(link), component) }
        }
    }
}
