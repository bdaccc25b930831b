import PushCore
import PushOneSpan

/// A typed activation password: 8 characters, the last of which checks the others.
struct ActivationPassword: Sendable {
    /// The normalized characters, in ASCII.
    let characters: Secret

    private static let alphabet = Array("23456789ABCDEFGHJKLMNPQRSTUVWXYZ".utf8)
    private static let weights = [1, 3, 5, 7, 9, 11, 13]
    private static let blanks: Set<UInt8> = [0x09, 0x0A, 0x0D, 0x20, 0x2D]

    /// Reads what the user typed or scanned, in either case, with blanks and hyphens anywhere.
    init(_ typed: Secret) throws(OrchestrationError) {
        characters = try typed.withBytes { (bytes) throws(OrchestrationError) -> Secret in
            let kept = bytes.count { !Self.blanks.contains($0) }
            guard kept > 0 else {
                throw OrchestrationError(
                    .input(.activationPasswordNullOrEmpty), "There is no activation password.")
            }
            guard kept == Self.weights.count + 1 else {
                throw OrchestrationError(
                    .input(.activationPasswordWrongLength),
                    "The activation password hasn't 8 characters.")
            }
            return Secret(count: kept) { buffer in
                var position = 0
                for byte in bytes where !Self.blanks.contains(byte) {
                    buffer[position] = (0x61...0x7A).contains(byte) ? byte - 0x20 : byte
                    position += 1
                }
            }
        }
        guard characters.withBytes(Self.isChecked) else {
            throw OrchestrationError(
                .input(.activationPasswordWrongChecksum),
                "The activation password has a typing error.")
        }
    }

    private static func isChecked(_ characters: UnsafeRawBufferPointer) -> Bool {
        var sum = 0
        for (character, weight) in zip(characters, weights) {
            guard let index = alphabet.firstIndex(of: character) else { return false }
            sum += weight * index
        }
        return characters.last == alphabet[sum % alphabet.count]
    }
}
