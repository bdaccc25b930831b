import PushCore

/// What a login page asks for beside a yes, `userVerification`.
enum UserVerification: Hashable, Sendable {
    /// Nothing.
    case none
    /// The one of these numbers that the page shows.
    case numbers([String])
    /// The digits that the page shows.
    case pin(digits: Int)
    /// A kind that isn't known, or can't be read.
    case unknown

    private static let digits = 1...12

    /// Reads the member of a listed challenge; it lacks, or is null, where nothing is asked.
    ///
    /// The documentation writes `number-match`, its OpenAPI description `number_match`.
    init(listed json: JSON?) {
        guard let json, json != .null else {
            self = .none
            return
        }
        let type = json["type"]?.string ?? ""
        if type.hasSameBytes(as: "number-match") || type.hasSameBytes(as: "number_match") {
            self.init(numbers: json["numbers"]?.array)
        } else if type.hasSameBytes(as: "pin") {
            self.init(digits: json["pinLength"]?.integer)
        } else {
            self = .unknown
        }
    }

    private init(numbers: [JSON]?) {
        let texts = numbers?.compactMap(\.string) ?? []
        // Short ones are quickly told from each other.
        let isSound =
            numbers?.count == 3 && texts.count == 3 && texts.allSatisfy(Self.isNumber)
            && Set(texts).count == 3
        self = isSound ? .numbers(texts) : .unknown
    }

    private init(digits: Int64?) {
        let count = digits.flatMap { Int(exactly: $0) }
        self = count.map { Self.digits.contains($0) ? .pin(digits: $0) : .unknown } ?? .unknown
    }

    /// 0 to 99, without leading zeros.
    private static func isNumber(_ text: String) -> Bool {
        1...2 ~= text.utf8.count && text.utf8.allSatisfy { 0x30...0x39 ~= $0 }
            && (text.utf8.count == 1 || text.utf8.first != 0x30)
    }

    /// What the user is asked to do.
    var prompt: Challenge.Prompt {
        switch self {
        case .none: .approve
        case .numbers(let numbers): .choose(numbers)
        case .pin(let digits): .enter(digits: digits)
        case .unknown: .denyOnly("Its userVerification is of no known kind.")
        }
    }

    /// Whether an answer has its form.
    func takes(_ answer: String) -> Bool {
        switch self {
        case .none, .unknown: false
        case .numbers(let numbers): numbers.contains { $0.hasSameBytes(as: answer) }
        case .pin(let digits):
            answer.utf8.count == digits && answer.utf8.allSatisfy { 0x30...0x39 ~= $0 }
        }
    }
}

extension UserVerification {
    /// Reads what ``json`` has written.
    init?(kept json: JSON) {
        switch json {
        case "none": self = .none
        case "unknown": self = .unknown
        case .array(let elements): self.init(numbers: elements)
        case .number(let number): self.init(digits: number.integer)
        default: return nil
        }
    }

    /// As the ledger keeps it.
    var json: JSON {
        switch self {
        case .none: "none"
        case .unknown: "unknown"
        case .numbers(let numbers): .array(numbers.map(JSON.string))
        case .pin(let digits): .integer(digits)
        }
    }
}
