import PushCore

func randomBytes(_ count: Int = 32) -> [UInt8] { (0..<count).map { _ in .random(in: 0...255) } }

/// A random source that always gives the bytes of one UUID.
struct FixedRandom: RandomSource {
    private let uuid: [UInt8]

    init(uuid text: String) {
        let digits = text.filter { $0 != "-" }
        uuid = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(digits.dropFirst($0).prefix(2), radix: 16)
        }
    }

    func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        for index in buffer.indices { buffer[index] = uuid[index % uuid.count] }
    }
}
