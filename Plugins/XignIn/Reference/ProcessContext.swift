import PushCore

/// What OXRW/1 needs from one step of a process in the next.
struct ProcessContext {
    private let fields: JSON.Object

    /// What the ledger keeps of a push.
    init(messageID: String) { fields = ["jti": .string(messageID)] }

    /// What starting takes.
    init(nonce: String) { fields = ["nonce": .string(nonce)] }

    /// What answering takes.
    init(challenge: String) { fields = ["challenge": .string(challenge)] }

    init(reading sealed: Secret) throws(PushError) {
        fields = try Secret.Record(reading: sealed).fields
    }

    var sealed: Secret { Secret.Record(fields: fields).sealed }

    var messageID: String {
        get throws(PushError) { try Claims(fields).text("jti") }
    }

    var nonce: String {
        get throws(PushError) { try Claims(fields).text("nonce") }
    }

    var challenge: String {
        get throws(PushError) { try Claims(fields).text("challenge") }
    }
}
