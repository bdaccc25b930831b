import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An offline operation from a QR code, after its signature was verified.
///
/// It is what `Challenge.details(as:)` gives for one. The server signed its texts; show them as
/// plain text, and interpret nothing in them. Nothing is sent for it: approving gives a code that
/// the user copies to the other screen.
public struct PowerAuthOfflineOperation: Hashable, Sendable, Identifiable {
    /// The operation.
    public let id: String

    /// What it is called.
    public let title: String

    /// What it asks.
    public let message: String

    /// What is approved, as it stands in the code: the text that the answer binds.
    public let data: String

    /// What ``data`` says; `nil` if it can't be read, and then the operation can't be approved.
    public let operationData: PowerAuthOperationData?

    /// What else the code says about the approval.
    public let flags: Flags

    /// The nonce: 16 bytes in Base64, which make each code different.
    public let nonce: String

    /// The time-based code, if the code has one. The answer binds it.
    let totp: String?

    /// Whether the time-based code has a line, and nothing stands in it. Whether the answer binds it
    /// all the same isn't documented.
    let hasEmptyCode: Bool

    /// Reads a code that was verified.
    ///
    /// - Throws: `PushError` with the code `malformed`.
    init(verified code: OfflineCode) throws(PushError) {
        let contents = code.contents
        guard let id = OfflineText.text(contents.operation), !id.isEmpty,
            let data = OfflineText.text(contents.data),
            let flags = OfflineText.text(contents.flags),
            ![id, data, flags].contains(where: OfflineText.hasControls)
        else { throw Self.damaged }
        self.id = id
        self.data = data
        self.flags = Flags(flags)
        title = try Self.shown(contents.title)
        message = try Self.shown(contents.message)
        nonce = code.nonceText
        totp = try contents.totp.flatMap { (bytes) throws(PushError) in
            guard bytes.allSatisfy({ 0x30...0x39 ~= $0 }) else { throw Self.damaged }
            return bytes.isEmpty ? nil : OfflineText.text(bytes)
        }
        hasEmptyCode = contents.totp?.isEmpty ?? false
        operationData = try? PowerAuthOperationData(data)
    }

    private static func shown(_ bytes: [UInt8]) throws(PushError) -> String {
        guard let raw = OfflineText.text(bytes), !OfflineText.hasControls(raw),
            let text = OfflineText.unescaped(bytes)
        else { throw damaged }
        return text
    }

    private static let damaged = PushError(
        .malformed, "The offline operation is signed, but can't be read.")
}

extension PowerAuthOfflineOperation {
    /// What the answer binds: the operation, its data, and the time-based code if there is one.
    var body: Data {
        Data((id + "&" + data + (totp.map { "&" + $0 } ?? "")).utf8)
    }
}

extension PowerAuthOfflineOperation {
    /// What an offline operation's code says about the approval.
    public struct Flags: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: UInt8

        /// Creates a set from its bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// `B`: biometry may take the PIN's place.
        public static let biometryAllowed = Flags(rawValue: 1 << 0)

        /// `X`: the buttons for yes and no change places.
        public static let flipButtons = Flags(rawValue: 1 << 1)

        /// `F`: warn of fraud.
        public static let fraudWarning = Flags(rawValue: 1 << 2)

        /// `C`: it mustn't be approved during a phone call; see ``PowerAuthApproval/isOnCall``.
        public static let blockApprovalOnCall = Flags(rawValue: 1 << 3)

        /// Reads the letters, in any order; others are passed over.
        init(_ text: String) {
            var flags: Flags = []
            for letter in text.unicodeScalars {
                switch letter {
                case "B": flags.insert(.biometryAllowed)
                case "X": flags.insert(.flipButtons)
                case "F": flags.insert(.fraudWarning)
                case "C": flags.insert(.blockApprovalOnCall)
                default: break
                }
            }
            self = flags
        }
    }
}
