import Crypto
import PushCore

/// The counter that makes each signature of an activation the only one of its kind.
///
/// It moves forward by one with every signature computed, whether or not it was sent. Keep the
/// advanced value before the signature leaves: one that is used twice is refused, and with a PIN
/// that costs an attempt.
struct SignatureCounter: Sendable {
    /// The hash chain's current value, 16 bytes.
    let data: Secret

    /// How many steps were made, modulo 256.
    let byte: UInt8

    /// Creates a counter: an activation's first, or one that was kept.
    ///
    /// - Throws: `PushError` with the code `malformed` if the value isn't of 16 bytes.
    init(data: Secret, byte: UInt8 = 0) throws(PushError) {
        guard data.count == 16 else {
            throw PushError(.malformed, "The counter isn't of 16 bytes.")
        }
        self.init(unchecked: data, byte: byte)
    }

    private init(unchecked data: Secret, byte: UInt8) {
        self.data = data
        self.byte = byte
    }

    /// The counter after this one: the folded SHA-256 of its value.
    func next() -> SignatureCounter {
        let value = Secret(count: 16) { output in
            var hash = SHA256()
            data.withBytes { hash.update(bufferPointer: $0) }
            hash.finalize().withUnsafeBytes { digest in
                for index in 0..<16 { output[index] = digest[index] ^ digest[index + 16] }
            }
        }
        return SignatureCounter(unchecked: value, byte: byte &+ 1)
    }

    /// The counter some steps after this one.
    func advanced(by steps: Int) -> SignatureCounter {
        var counter = self
        for _ in 0..<max(steps, 0) { counter = counter.next() }
        return counter
    }
}

extension SignatureCounter: Equatable {
    static func == (one: SignatureCounter, other: SignatureCounter) -> Bool {
        one.byte == other.byte && one.data.isEqualInConstantTime(to: other.data)
    }
}
