import PushCore
import PushTesting

typealias Flash = HoardingStore

extension HoardingStore {
    /// How many enrollments it holds.
    var credentials: Int { now.keys.count { $0.collection == "enrollment" } }

    /// Returns once a record held these bytes.
    func untilWritten(_ bytes: [UInt8]) async { await wait { $0.everHeld(bytes) } }

    /// Whether bytes were ever written, plain or in hexadecimal digits.
    func everHeld(_ bytes: [UInt8]) -> Bool {
        let hex = OOC.hex(bytes)
        let forms = [bytes, Array(hex.utf8), Array(hex.lowercased().utf8)]
        return written.contains { record in forms.contains { Self.run($0, isIn: record) } }
    }

    static func run(_ run: [UInt8], isIn bytes: [UInt8]) -> Bool {
        guard let first = run.first, bytes.count >= run.count else { return false }
        return bytes.indices.dropLast(run.count - 1).contains { index in
            bytes[index] == first && bytes[index..<index + run.count].elementsEqual(run)
        }
    }
}
