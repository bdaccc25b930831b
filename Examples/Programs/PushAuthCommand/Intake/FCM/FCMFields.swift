import PushCore

/// The members of an object of a request, read as Google's APIs read JSON: a name is as documented
/// or in lower camel case, and an unknown name is an error.
struct FCMFields {
    private let object: JSON.Object
    private let path: String

    init(_ object: JSON.Object, at path: String) {
        self.object = object
        self.path = path
    }

    func allow(_ names: Set<String>) throws(FCMRefusal) {
        // None is as long as 40 bytes; to hash a text of marks takes the square of its length.
        for name in object.members.map(\.name)
        where name.utf8.count > 40 || !names.contains(name) {
            throw .unknownName(name, at: path)
        }
    }

    /// Whether a field is there, under one of its names.
    func has(_ names: String...) throws(FCMRefusal) -> Bool { try one(of: names) != nil }

    func text(_ names: String...) throws(FCMRefusal) -> String? {
        guard let (name, value) = try one(of: names) else { return nil }
        guard let text = value.string else {
            throw .invalidValue(at: place(name), "TYPE_STRING", value)
        }
        return text
    }

    func bool(_ names: String...) throws(FCMRefusal) -> Bool? {
        guard let (name, value) = try one(of: names) else { return nil }
        guard let bool = value.bool else {
            throw .invalidValue(at: place(name), "TYPE_BOOL", value)
        }
        return bool
    }

    /// An object of a type of FCM's.
    func fields(_ names: String..., of type: String) throws(FCMRefusal) -> FCMFields? {
        guard let (name, value) = try one(of: names) else { return nil }
        guard let object = value.object else {
            throw .invalidValue(at: place(name), Self.type(type), value)
        }
        return FCMFields(object, at: place(name))
    }

    /// The app's data: an object all of whose values are strings, and whose keys are the app's to
    /// choose. Google's errors count its entries, in the order in which they came.
    func data() throws(FCMRefusal) -> [String: String]? {
        guard let (name, value) = try one(of: ["data"]) else { return nil }
        guard let object = value.object else {
            throw .invalidValue(at: place(name), Self.type("Message.DataEntry"), value)
        }
        var texts: [String: String] = [:]
        for (index, entry) in object.members.enumerated() {
            let entryPlace = "\(place(name))[\(index)]"
            let key = entry.name
            // The reference names "google." and "gcm.notification."; to refuse every word that
            // begins so keeps a sender from relying on less.
            let isReserved =
                ["from", "message_type", ""].contains { key.hasSameBytes(as: $0) }
                || ["google", "gcm"].contains { key.utf8.starts(with: $0.utf8) }
            guard !isReserved else {
                throw .invalidValue(at: entryPlace + ".key", "a reserved word", .string(key))
            }
            guard let text = entry.value.string else {
                throw .invalidValue(at: entryPlace + ".value", "TYPE_STRING", entry.value)
            }
            // To put a longer one into a dictionary may take the square of its length.
            guard key.utf8.count <= FCMMessage.Target.longest else {
                throw .invalidArgument("message", "A key alone is longer than a message may be.")
            }
            texts[key] = text
        }
        return texts
    }

    /// The error for a field whose text isn't one of the values that it may have.
    func refusal(_ name: String, _ type: String, _ text: String) -> FCMRefusal {
        .invalidValue(at: place(name), type, .string(text))
    }

    /// The name of a type of FCM's, as Google's errors have it.
    static func type(_ name: String) -> String {
        "type.googleapis.com/google.firebase.fcm.v1.\(name)"
    }

    /// What stands under one of a field's two names; `null` is as good as nothing.
    private func one(of names: [String]) throws(FCMRefusal) -> (String, JSON)? {
        let present = names.compactMap { name in object[name].map { (name, $0) } }
        guard present.count < 2 else {
            throw .invalidArgument(
                place(names[0]), "The field '\(place(names[0]))' may be there once.")
        }
        return present.first.flatMap { $0.1 == .null ? nil : $0 }
    }

    private func place(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }
}
