import Crypto
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The text that the user signs with an answer.
enum TransactionText {
    static func hash(of text: String) -> String {
        Base64.encode(Data(SHA256.hash(data: Data(text.utf8))), as: .url)
    }

    /// The text of a started process; `nil` if there is none.
    ///
    /// - Throws: `PushError` with the code `untrusted` if its hash is another text's.
    static func checked(_ answer: Claims) throws(PushError) -> String? {
        guard let transaction = try answer.optionalObject("transaction") else { return nil }
        let text = try transaction.text("text")
        guard try transaction.text("sha256") == hash(of: text) else {
            throw PushError(.untrusted, "The hash of the transaction is another text's.")
        }
        return text
    }
}
