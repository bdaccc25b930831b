import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A binary property list, read strictly, one object at a time.
///
/// The reader follows no reference itself: its caller asks for each object by number. So nothing
/// recurses, and a circle of references is no danger.
struct BinaryPropertyList {
    /// One object; it names others by their numbers.
    enum Object {
        case bool(Bool)
        case integer(Int64)
        case real(Double)
        case text(String)
        /// A reference to an object of a keyed archive.
        case reference(Int)
        case array([Int])
        case dictionary([(key: Int, value: Int)])
        /// A null, a date, bytes or a set.
        case other
    }

    /// How large a list may be. A record of the vendor's SDK has about two thousand bytes.
    static let maximumLength = 256 * 1024

    private static let header = Array("bplist00".utf8)
    private static let trailerLength = 32

    private let bytes: [UInt8]
    /// Where each object begins.
    private let offsets: [Int]
    private let referenceLength: Int
    /// Where the objects end.
    private let end: Int

    /// The number of the outermost object.
    let top: Int

    /// Reads the list's frame: header, trailer and table of offsets.
    ///
    /// - Throws: `PushError` with the code `malformed`.
    init(_ data: Data) throws(PushError) {
        guard data.count <= Self.maximumLength else { throw Self.damaged("is too long") }
        bytes = Array(data)
        guard bytes.starts(with: Self.header) else {
            throw Self.damaged("doesn't begin as a binary property list")
        }
        let trailer = bytes.count - Self.trailerLength
        guard trailer > Self.header.count else { throw Self.damaged("is cut") }
        let (offsetLength, referenceLength) = (Int(bytes[trailer + 6]), Int(bytes[trailer + 7]))
        guard 1...8 ~= offsetLength, 1...8 ~= referenceLength,
            let count = Self.number(bytes[(trailer + 8)..<(trailer + 16)]),
            let top = Self.number(bytes[(trailer + 16)..<(trailer + 24)]),
            let table = Self.number(bytes[(trailer + 24)..<(trailer + 32)]),
            table > Self.header.count, table < trailer,
            // Each offset takes a byte at least, so the product stays small.
            count > 0, count <= trailer - table, count * offsetLength == trailer - table,
            top < count
        else { throw Self.damaged("has a wrong trailer") }
        var offsets: [Int] = []
        offsets.reserveCapacity(count)
        for index in 0..<count {
            let place = table + index * offsetLength
            guard let offset = Self.number(bytes[place..<(place + offsetLength)]),
                offset >= Self.header.count, offset < table
            else { throw Self.damaged("has an object outside of it") }
            offsets.append(offset)
        }
        self.offsets = offsets
        self.referenceLength = referenceLength
        self.top = top
        end = table
    }

    /// Reads an object.
    ///
    /// - Throws: `PushError` with the code `malformed`.
    func object(_ index: Int) throws(PushError) -> Object {
        guard offsets.indices.contains(index) else {
            throw Self.damaged("refers to an object that it doesn't have")
        }
        var place = offsets[index]
        let marker = bytes[place]
        let low = Int(marker & 0x0F)
        place += 1
        switch marker >> 4 {
        case 0x0 where low == 8: return .bool(false)
        case 0x0 where low == 9: return .bool(true)
        case 0x0 where low == 0: return .other
        case 0x1: return .integer(try integer(at: place, low))
        case 0x2: return try real(at: place, low)
        case 0x3 where low == 3, 0x4, 0xC: return .other
        case 0x5:
            let text = try run(of: 1, low, at: place)
            guard text.allSatisfy({ $0 < 0x80 }) else { throw Self.damaged("has a wrong text") }
            return .text(String(decoding: text, as: UTF8.self))
        case 0x6: return .text(try wideText(try run(of: 2, low, at: place)))
        case 0x8:
            guard let number = Self.number(try slice(at: place, low + 1)) else {
                throw Self.damaged("has a wrong reference")
            }
            return .reference(number)
        case 0xA: return .array(try references(in: try run(of: referenceLength, low, at: place)))
        case 0xD:
            let all = try references(in: try run(of: 2 * referenceLength, low, at: place))
            let count = all.count / 2
            return .dictionary((0..<count).map { (all[$0], all[count + $0]) })
        default: throw Self.damaged("has an object of an unknown kind")
        }
    }

    static func damaged(_ problem: String) -> PushError {
        PushError(.malformed, "The archive \(problem).")
    }
}

// MARK: Parts of objects

extension BinaryPropertyList {
    /// An unsigned number, most significant byte first; `nil` if it is beyond 32 bits, as no count or
    /// place in a list of this length is.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        var value = 0
        for byte in bytes {
            guard value >> 24 == 0 else { return nil }
            value = value << 8 | Int(byte)
        }
        return value
    }

    private func slice(at place: Int, _ length: Int) throws(PushError) -> ArraySlice<UInt8> {
        guard length <= end - place else { throw Self.damaged("has an object that is cut") }
        return bytes[place..<(place + length)]
    }

    /// A number of 1, 2, 4 or 8 bytes; only one of 8 has a sign.
    private func integer(at place: Int, _ power: Int) throws(PushError) -> Int64 {
        guard power <= 3 else { throw Self.damaged("has a number that is too long") }
        let bits = try slice(at: place, 1 << power).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int64(bitPattern: bits)
    }

    private func real(at place: Int, _ power: Int) throws(PushError) -> Object {
        guard power == 2 || power == 3 else { throw Self.damaged("has a wrong number") }
        let bits = try slice(at: place, 1 << power).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return .real(
            power == 2
                ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
                : Double(bitPattern: bits))
    }

    /// The bytes of elements, whose number stands in the marker, or else after it.
    private func run(
        of size: Int, _ low: Int, at place: Int
    ) throws(PushError) -> ArraySlice<UInt8> {
        guard low == 0x0F else { return try slice(at: place, low * size) }
        let marker = try slice(at: place, 1)
        let power = Int(marker[place] & 0x0F)
        guard marker[place] >> 4 == 0x1, power <= 3,
            let count = Self.number(try slice(at: place + 1, 1 << power)), count <= end
        else { throw Self.damaged("has a wrong length") }
        return try slice(at: place + 1 + 1 << power, count * size)
    }

    private func wideText(_ bytes: ArraySlice<UInt8>) throws(PushError) -> String {
        let units = stride(from: bytes.startIndex, to: bytes.endIndex, by: 2).map {
            UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
        }
        // What isn't UTF-16 was replaced.
        let text = String(decoding: units, as: UTF16.self)
        guard text.utf16.elementsEqual(units) else {
            throw Self.damaged("has a wrong text")
        }
        return text
    }

    private func references(in bytes: ArraySlice<UInt8>) throws(PushError) -> [Int] {
        var numbers: [Int] = []
        for place in stride(from: bytes.startIndex, to: bytes.endIndex, by: referenceLength) {
            guard let number = Self.number(bytes[place..<(place + referenceLength)]) else {
                throw Self.damaged("refers to an object that it doesn't have")
            }
            numbers.append(number)
        }
        return numbers
    }
}
