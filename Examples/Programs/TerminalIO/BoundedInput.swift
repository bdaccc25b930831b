public import Foundation
public import PushPlatform

/// What a program is given to read, such as its standard input: up to a bound, as nothing says that it
/// ends.
public struct BoundedInput: Sendable {
    /// Why something couldn't be read.
    public enum Fault: Error, CustomStringConvertible {
        case unreadable(String, SystemError)
        case tooLong(String, limit: Int)

        /// A sentence that names it, and the cause.
        public var description: String {
            switch self {
            case .unreadable(let name, let error): "\(name) can't be read: \(error.cause)."
            case .tooLong(let name, let limit): "\(name) has more than \(Self.size(limit))."
            }
        }

        /// What to do about it, if that isn't plain.
        public var advice: String? {
            if case .unreadable(_, let error) = self { error.advice } else { nil }
        }

        private static func size(_ limit: Int) -> String {
            limit < 1 << 20 ? "\(limit >> 10) KiB" : "\(limit >> 20) MiB"
        }
    }

    private let descriptor: Int32
    private let name: String
    private let limit: Int
    private let file: FileHandle?

    /// Whether a byte order mark may come that isn't part of the text.
    private var mayBeginWithMark: Bool
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)
    private var rest: ArraySlice<UInt8> = []
    private var hasEnded = false

    /// Whether what comes next is the rest of a line that was too long.
    private var isBeyondLimit = false

    /// Opens a file, or standard input.
    ///
    /// - Parameters:
    ///   - path: Its path, or `-` for standard input.
    ///   - limit: How many bytes it may have, or each of its lines: KiB, or MiB.
    ///   - isText: Whether a byte order mark at its start, which editors leave, is no part of it.
    /// - Throws: ``Fault`` if it can't be opened.
    public init(_ path: String, limit: Int, isText: Bool = true) throws(Fault) {
        guard path == "-" else {
            try self.init(file: path, limit: limit, isText: isText)
            return
        }
        self.init(
            descriptor: STDIN_FILENO, name: "Standard input", limit: limit, isText: isText)
    }

    /// Opens a file, which may be called `-`.
    ///
    /// - Parameters:
    ///   - path: Its path.
    ///   - limit: How many bytes it may have, or each of its lines: KiB, or MiB.
    ///   - isText: Whether a byte order mark at its start is no part of it.
    /// - Throws: ``Fault`` if it can't be opened.
    public init(file path: String, limit: Int, isText: Bool = true) throws(Fault) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let error = SystemError(code: errno)
            throw Fault.unreadable("The file \(path)", error)
        }
        self.init(
            descriptor: descriptor, name: "The file \(path)", limit: limit, isText: isText,
            file: FileHandle(fileDescriptor: descriptor, closeOnDealloc: true))
    }

    /// Reads from an open descriptor.
    ///
    /// - Parameters:
    ///   - descriptor: The descriptor.
    ///   - name: What it is to the user, as a sentence begins with it.
    ///   - limit: How many bytes it may have, or each of its lines.
    ///   - isText: Whether a byte order mark at its start is no part of it.
    ///   - file: What keeps the descriptor open.
    public init(
        descriptor: Int32, name: String, limit: Int, isText: Bool = true, file: FileHandle? = nil
    ) {
        self.descriptor = descriptor
        self.name = name
        self.limit = limit
        self.file = file
        mayBeginWithMark = isText
    }

    /// All of it.
    ///
    /// - Returns: Its bytes.
    /// - Throws: ``Fault``.
    public mutating func all() throws(Fault) -> Data {
        var bytes = Data()
        while try fill() {
            guard bytes.count + rest.count <= limit else { throw Fault.tooLong(name, limit: limit) }
            bytes += rest
            rest = []
        }
        return beginsWithMark(bytes) ? Data(bytes.dropFirst(3)) : bytes
    }

    /// Its next line, without what ends it; `nil` at the end.
    ///
    /// - Returns: The line's bytes.
    /// - Throws: ``Fault``: after ``Fault/tooLong(_:limit:)`` the next call goes on with the next line.
    public mutating func line() throws(Fault) -> [UInt8]? {
        var line: [UInt8] = []
        while try fill() {
            let end = rest.firstIndex(of: UInt8(ascii: "\n"))
            let part = rest[..<(end ?? rest.endIndex)]
            rest = rest[(end.map { $0 + 1 } ?? rest.endIndex)...]
            if isBeyondLimit {
                isBeyondLimit = end == nil
                continue
            }
            line += part
            // It may have no end.
            guard line.count <= limit else {
                isBeyondLimit = end == nil
                mayBeginWithMark = false
                throw Fault.tooLong("A line of " + name.lowercasedFirst, limit: limit)
            }
            if end != nil { return content(of: line) }
        }
        return line.isEmpty ? nil : content(of: line)
    }

    private mutating func content(of line: [UInt8]) -> [UInt8] {
        let line = beginsWithMark(line) ? Array(line.dropFirst(3)) : line
        return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }

    private mutating func beginsWithMark(_ bytes: some Sequence<UInt8>) -> Bool {
        defer { mayBeginWithMark = false }
        return mayBeginWithMark && bytes.starts(with: [0xEF, 0xBB, 0xBF])
    }

    /// Whether there is something in ``rest``.
    private mutating func fill() throws(Fault) -> Bool {
        guard rest.isEmpty, !hasEnded else { return !rest.isEmpty }
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Fault.unreadable(name, SystemError(code: errno)) }
            hasEnded = count == 0
            rest = buffer[..<count]
            return count > 0
        }
    }
}

extension String {
    /// The text without a byte order mark at its start.
    public var withoutByteOrderMark: Substring {
        unicodeScalars.first == "\u{FEFF}"
            ? self[unicodeScalars.index(after: startIndex)...] : self[...]
    }

    fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
