import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A text that stands for bytes, its shape already checked, so that its decoded size is known.
protocol BinaryTextReader {
    /// How many bytes the text stands for.
    var count: Int { get }

    /// Writes exactly ``count`` bytes, and says what was wrong with the text if anything was.
    func write(to output: UnsafeMutableRawBufferPointer) -> BinaryTextFault?
}

extension BinaryTextReader {
    func data() -> Result<Data, PushError> {
        var data = Data(count: count)
        let fault = data.withUnsafeMutableBytes { write(to: $0) }
        return fault.map { .failure($0.pushError) } ?? .success(data)
    }

    func bytes() -> Result<[UInt8], PushError> {
        var fault: BinaryTextFault?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            let output = UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count)
            fault = write(to: output)
            initializedCount = count
        }
        return fault.map { .failure($0.pushError) } ?? .success(bytes)
    }

    func secret() -> Result<Secret, PushError> {
        var fault: BinaryTextFault?
        let secret = Secret(count: count) { fault = write(to: $0) }
        return fault.map { .failure($0.pushError) } ?? .success(secret)
    }
}

/// Why a text doesn't stand for bytes; it never holds content.
enum BinaryTextFault: String {
    /// A character outside the alphabet: whitespace, padding in the wrong place, or another's.
    case character = "a character that doesn't belong there"
    /// No bytes have a text of this length.
    case length = "an impossible length or wrong padding"
    /// The bits after the last byte aren't zero, so two texts would stand for the same bytes.
    case trailingBits = "unused bits that aren't zero"

    var pushError: PushError {
        PushError(.malformed, "Binary text with \(rawValue).")
    }
}

extension StringProtocol {
    /// Lends the text's UTF-8, without a copy where its storage is contiguous.
    func withLentUTF8<Value>(
        _ body: (UnsafeRawBufferPointer) -> Result<Value, PushError>
    ) throws(PushError) -> Value {
        let lent = utf8.withContiguousStorageIfAvailable { body(UnsafeRawBufferPointer($0)) }
        if let lent { return try lent.get() }
        return try Array(utf8).withUnsafeBytes { body($0) }.get()
    }
}
