import PushCore
import PushTesting

/// A credential of one number. It counts how often one is decoded in a test.
struct Tally: ProviderCredential {
    static let decodings = TaskLocal<Locked<Int>?>(wrappedValue: nil)

    var number: UInt8 = 0

    init() {}

    init(reading sealed: Secret) throws(PushError) {
        Self.decodings.get()?.withLock { $0 += 1 }
        guard let number = sealed.withBytes({ $0.count == 1 ? $0.first : nil }) else {
            throw PushError(.malformed, "A tally is one byte.")
        }
        self.number = number
    }

    var sealed: Secret { Secret([number]) }
}
