/// Repeats what the fuzzer found: time that grows faster than its input ends in libFuzzer's
/// time-out.
///
/// Head, unit and tail are parted by a byte that no UTF-8 holds; another one stands in a unit for
/// its number, so that names differ.
///
/// - Returns: The text, `nil` if there is no unit.
public func grown(_ bytes: UnsafeRawBufferPointer, to size: Int) -> [UInt8]? {
    let parts = bytes.split(separator: 0xFF, maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[1].isEmpty else { return nil }
    var text = Array(parts[0])
    text.reserveCapacity(size + bytes.count)
    var number = 0
    while text.count < size {
        for byte in parts[1] {
            if byte == 0xFE {
                text.append(contentsOf: "\(number)".utf8)
            } else {
                text.append(byte)
            }
        }
        number += 1
    }
    return text + parts[2]
}
