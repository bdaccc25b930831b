import IndependentEncodings
import PushCore
import PushTesting

typealias Hoard = HoardingStore

extension HoardingStore {
    /// The collection of the enrollments' records, with the tokens that are one enrollment's alone.
    static let enrollments = "enrollment"

    /// Whether something was ever written, in any form in which it could be.
    func everHeld(_ bytes: [UInt8]) -> Bool {
        bytes.forms.contains { form in written.contains { $0.contains(run: form) } }
    }

    func holds(_ bytes: [UInt8]) -> Bool {
        bytes.forms.contains { form in now.values.contains { $0.contains(run: form) } }
    }
}

extension ScriptedGuard {
    /// The secrets that it keeps.
    var secrets: [[UInt8]] {
        get throws {
            try parts.values.flatMap { try Secret.Record(reading: $0).secrets.map(\.copied) }
        }
    }
}
