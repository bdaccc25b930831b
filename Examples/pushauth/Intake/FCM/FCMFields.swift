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
        for name in object.members.map(\.name) where !names.contains(name) {
            throw .invalidArgument(path, "A field here isn't known.")
        }
    }

    func text(_ names: String...) throws(FCMRefusal) -> String? {
        guard let (name, value) = try one(of: names) else { return nil }
        guard let text = value.string else { throw wrong(name, "a string") }
        return text
    }

    func bool(_ names: String...) throws(FCMRefusal) -> Bool? {
        guard let (name, value) = try one(of: names) else { return nil }
        guard let bool = value.bool else { throw wrong(name, "true or false") }
        return bool
    }

    func fields(_ name: String) throws(FCMRefusal) -> FCMFields? {
        guard let (name, value) = try one(of: [name]) else { return nil }
        guard let object = value.object else { throw wrong(name, "an object") }
        return FCMFields(object, at: place(name))
    }

    /// An object all of whose values are strings.
    func texts(_ name: String) throws(FCMRefusal) -> [String: String]? {
        guard let fields = try fields(name) else { return nil }
        var texts: [String: String] = [:]
        for (name, value) in fields.object.members {
            guard let text = value.string else { throw fields.wrong(name, "a string") }
            texts[name] = text
        }
        return texts
    }

    /// What stands under one of a field's two names; `null` is as good as nothing.
    private func one(of names: [String]) throws(FCMRefusal) -> (String, JSON)? {
        let found = names.compactMap { name in object[name].map { (name, $0) } }
        guard found.count < 2 else { throw wrong(names[0], "given once") }
        return found.first.flatMap { $0.1 == .null ? nil : $0 }
    }

    private func place(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    private func wrong(_ name: String, _ kind: String) -> FCMRefusal {
        .invalidArgument(place(name), "It must be \(kind).")
    }
}
