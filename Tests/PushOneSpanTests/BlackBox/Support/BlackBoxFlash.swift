import PushCore
import PushTesting

extension BlackBox {
    typealias Flash = HoardingStore
}

extension HoardingStore {
    /// Whether bytes were ever written, plain, in hexadecimal digits or in base 64.
    func everHeld(_ bytes: [UInt8]) -> Bool {
        let hex = BlackBox.Command.hex(bytes)
        let forms = [bytes, Array(hex.utf8), Array(hex.lowercased().utf8)]
        return written.contains { record in forms.contains { Self.run($0, isIn: record) } }
    }

    /// How many records it holds of the provider's.
    var credentials: Int {
        now.keys.filter { $0.collection.hasPrefix("credential/") }.count
    }

    static func run(_ run: [UInt8], isIn bytes: [UInt8]) -> Bool {
        guard let first = run.first, bytes.count >= run.count else { return false }
        return bytes.indices.dropLast(run.count - 1).contains { index in
            bytes[index] == first && bytes[index..<index + run.count].elementsEqual(run)
        }
    }
}
