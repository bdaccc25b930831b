/// Where the names are of those objects of a text that have too many for a search one by one, or names
/// that aren't plain ASCII: a table for each object, one behind the other.
///
/// Names are hashed by keys that nobody outside knows, so that no text can be made whose names meet in
/// one place. A table is made when its object ends, as large as it has to be.
struct JSONIndexes: Sendable {
    private struct Slot: Sendable {
        var digest: UInt32 = 0
        /// The node of a name; 0, which is no name's, for none.
        var name: UInt32 = 0
    }

    private var slots: [Slot] = []

    /// So many slots are in a processor's own cache.
    private static let nearCount = 1 << 16

    /// Where the next table begins.
    var end: Int { slots.count }

    /// Makes the table of an object that was read.
    ///
    /// - Returns: The first name that one before it has or is equivalent to.
    mutating func add(
        _ object: JSONNode, from start: Int, in bytes: UnsafeBufferPointer<UInt8>,
        _ nodes: UnsafeBufferPointer<JSONNode>
    ) -> Int? {
        let mask = Self.mask(object)
        slots.append(contentsOf: repeatElement(Slot(), count: mask + 1))
        return withUnsafeTemporaryAllocation(of: Slot.self, capacity: Int(object.start)) { new in
            var (name, count) = (start, 0)
            while name < object.next {
                let digest = JSONName(name, in: object, bytes, nodes).digest
                new.initializeElement(at: count, to: Slot(digest: digest, name: UInt32(name)))
                count += 1
                name = Int(nodes[name + 1].next)
            }
            var duplicate: Int?
            // A large table is filled part by part: each slot at random would be far away.
            for near in stride(from: 0, through: mask, by: Self.nearCount) {
                for slot in new[..<count] {
                    guard Int(slot.digest) & mask & -Self.nearCount == near else { continue }
                    let place = place(of: slot.digest, in: object) { other in
                        JSONName(Int(slot.name), in: object, bytes, nodes).isName(
                            other, in: bytes, nodes)
                    }
                    if slots[place].name == 0 {
                        slots[place] = slot
                    } else {
                        duplicate = min(duplicate ?? .max, Int(slot.name))
                    }
                }
            }
            return duplicate
        }
    }

    /// Where a name is, or one that Unicode calls equivalent.
    func find(
        _ name: String, of object: JSONNode, in bytes: UnsafeBufferPointer<UInt8>,
        _ nodes: UnsafeBufferPointer<JSONNode>
    ) -> Int? {
        name.withLentBytes { text in
            let name = object.isEscaped ? JSONName(MemberName(name)) : JSONName(text)
            let place = place(of: name.digest, in: object) { name.isName($0, in: bytes, nodes) }
            let found = slots[place].name
            return found == 0 ? nil : Int(found)
        }
    }

    /// At most three quarters of an object's slots are taken.
    private static func mask(_ object: JSONNode) -> Int {
        let least = UInt(object.start) + UInt(object.start) / 3
        return Int(UInt.max >> least.leadingZeroBitCount)
    }

    /// The slot of a name, or the free one that it would have.
    private func place(
        of digest: UInt32, in object: JSONNode, where isName: (Int) -> Bool
    ) -> Int {
        let mask = Self.mask(object)
        var place = Int(digest) & mask
        while true {
            let slot = slots[Int(object.end) + place]
            if slot.name == 0 || slot.digest == digest && isName(Int(slot.name)) {
                return Int(object.end) + place
            }
            place = (place + 1) & mask
        }
    }
}

/// A member's name as an index looks for it: by its bytes, or by Unicode's equivalence.
private struct JSONName {
    let digest: UInt32
    private let text: UnsafeBufferPointer<UInt8>
    private let name: MemberName?

    @inline(never)
    init(_ text: UnsafeBufferPointer<UInt8>) {
        var hasher = Hasher()
        LongText.combine(UnsafeRawBufferPointer(text), into: &hasher)
        digest = UInt32(truncatingIfNeeded: hasher.finalize())
        self.text = text
        name = nil
    }

    init(_ name: MemberName) {
        digest = UInt32(truncatingIfNeeded: name.digest)
        text = UnsafeBufferPointer(start: nil, count: 0)
        self.name = name
    }

    @inline(never)
    init(
        _ name: Int, in object: JSONNode, _ bytes: UnsafeBufferPointer<UInt8>,
        _ nodes: UnsafeBufferPointer<JSONNode>
    ) {
        if object.isEscaped {
            self.init(MemberName(JSONDocument.text(of: nodes[name], in: bytes)))
        } else {
            let range = Int(nodes[name].start)..<Int(nodes[name].end)
            self.init(UnsafeBufferPointer(rebasing: bytes[range]))
        }
    }

    @inline(never)
    func isName(
        _ other: Int, in bytes: UnsafeBufferPointer<UInt8>, _ nodes: UnsafeBufferPointer<JSONNode>
    ) -> Bool {
        if let name { return name == MemberName(JSONDocument.text(of: nodes[other], in: bytes)) }
        let range = Int(nodes[other].start)..<Int(nodes[other].end)
        return range.count == text.count
            && JSONDocument.hasBytes(text, at: range.lowerBound, in: bytes)
    }
}

/// Hashes a long text at several bytes a step, where `Hasher` alone takes longer than to read it.
///
/// Blocks of 128 bytes become 16 each by NH (RFC 4418 section 5.2, here with words of 64 bits) under random
/// keys: two different blocks become the same with a probability of 2⁻⁶⁴.
private enum LongText {
    private static let wordCount = 16
    private static let blockCount = 8 * wordCount
    private static let keys = (0..<wordCount).map { _ in UInt64.random(in: .min ... .max) }

    static func combine(_ text: UnsafeRawBufferPointer, into hasher: inout Hasher) {
        guard text.count > blockCount else { return hasher.combine(bytes: text) }
        hasher.combine(text.count)
        keys.withUnsafeBufferPointer { keys in
            // The last block ends where the text does, and so may overlap the one before.
            for start in stride(from: 0, to: text.count, by: blockCount) {
                combine(text, at: min(start, text.count - blockCount), keys, into: &hasher)
            }
        }
    }

    private static func combine(
        _ text: UnsafeRawBufferPointer, at start: Int, _ keys: UnsafeBufferPointer<UInt64>,
        into hasher: inout Hasher
    ) {
        var (high, low): (UInt64, UInt64) = (0, 0)
        for word in stride(from: 0, to: wordCount, by: 2) {
            let one = text.loadUnaligned(fromByteOffset: start + 8 * word, as: UInt64.self)
            let two = text.loadUnaligned(fromByteOffset: start + 8 * word + 8, as: UInt64.self)
            let product = (one &+ keys[word]).multipliedFullWidth(by: two &+ keys[word + 1])
            let (sum, carries) = low.addingReportingOverflow(product.low)
            low = sum
            high = high &+ product.high &+ (carries ? 1 : 0)
        }
        hasher.combine(high)
        hasher.combine(low)
    }
}
