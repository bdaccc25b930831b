import PushCore
import PushJOSE

/// Memory on the stack that is zeroed afterwards, and codes that are computed in it.
///
/// `FastHMAC` lends the same to a closure of any type, but the compiler specializes that in its own
/// module alone; here, the indirect calls would take as long as half a run of SHA-256.
enum Workspace {
    /// Lends memory.
    @inline(__always)
    static func lend<Value>(
        _ count: Int, _ body: (UnsafeMutableRawBufferPointer) -> Value
    ) -> Value {
        withUnsafeTemporaryAllocation(byteCount: count, alignment: 16) { memory in
            defer { memory.zero() }
            return body(memory)
        }
    }

    /// Lends the HMAC-SHA-256 of a message.
    @inline(__always)
    static func withCode<Value>(
        for message: UnsafeRawBufferPointer, key: Secret,
        _ body: (UnsafeRawBufferPointer) -> Value
    ) -> Value {
        lend(FastHMAC.scratchCount + FastHMAC.byteCount) { memory in
            let scratch = UnsafeMutableRawBufferPointer(rebasing: memory[..<FastHMAC.scratchCount])
            let code = UnsafeMutableRawBufferPointer(rebasing: memory[FastHMAC.scratchCount...])
            key.withBytes {
                FastHMAC.authenticate(message, key: $0, scratch: scratch, into: code)
            }
            return body(UnsafeRawBufferPointer(code))
        }
    }
}
