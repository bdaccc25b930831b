/// A record's content that is its bytes until somebody asks for it, and the same bytes again until
/// it is another.
struct DeferredContent<Content: RecordContent>: Sendable {
    private enum Form {
        case sealed(Secret)
        case read(Content, from: Secret)
        case new(Content)
    }

    private var form: Form

    init(_ sealed: Secret) { form = .sealed(sealed) }

    init(new content: Content) { form = .new(content) }

    var sealed: Secret {
        switch form {
        case .sealed(let sealed), .read(_, let sealed): sealed
        case .new(let content): content.sealed
        }
    }

    /// The content, read once.
    ///
    /// - Throws: What reading it throws; it stays as its bytes then.
    mutating func read() throws(PushError) -> Content {
        switch form {
        case .read(let content, _), .new(let content): return content
        case .sealed(let sealed):
            let content = try Content(reading: sealed)
            form = .read(content, from: sealed)
            return content
        }
    }
}
