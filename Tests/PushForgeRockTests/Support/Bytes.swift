import PushCore
import PushTesting

func randomBytes(_ count: Int = 32) -> [UInt8] { (0..<count).map { _ in .random(in: 0...255) } }

extension RepeatingRandom {
    /// Always the bytes of one UUID.
    init(uuid text: String) {
        self.init(Hexadecimal.bytes(text.utf8.filter { $0 != UInt8(ascii: "-") }) ?? [0])
    }
}
