import Testing

/// What must not be written in what ships, line by line.
enum Habit: CaseIterable, Sendable {
    case noForcing, noTrap, noStaticVariable, noSharedInstance, noGlobalVariable, noUntypedValues
    case noSplittingByCharacter

    /// A line is looked at only if it holds one of these.
    private var words: [String] {
        switch self {
        case .noForcing: ["try!", "as!"]
        case .noTrap: ["fatalError(", "precondition", "assertionFailure("]
        case .noStaticVariable: ["static"]
        case .noSharedInstance: ["shared"]
        case .noGlobalVariable: ["var "]
        case .noUntypedValues: ["Any"]
        case .noSplittingByCharacter: ["\"", "separatedBy"]
        }
    }

    private var pattern: Regex<AnyRegexOutput> {
        switch self {
        case .noForcing: Regex(/\b(try|as)!/)
        case .noTrap:
            Regex(/\b(fatalError|precondition|preconditionFailure|assertionFailure)\(/)
        // Stored, that is: a computed one has nothing before its brace that assigns.
        case .noStaticVariable: Regex(/\bstatic +var [^{]*(=|$)/)
        case .noSharedInstance: Regex(/\bstatic +let +shared\b/)
        case .noGlobalVariable:
            Regex(
                /^((public|package|internal|private|fileprivate|nonisolated\(unsafe\)) +)*var [^{]*(=|$)/
            )
        case .noUntypedValues: Regex(/\[ *String *: *Any *\]/)
        // One `Character` may hold a million marks, which takes the square of that to compare.
        case .noSplittingByCharacter:
            Regex(
                /\.split\(separator: "|components\(separatedBy|[tx](Index)?\(of: "."\)|(prefix|drop|first|last|firstIndex|lastIndex)( |\(while: |\(where: )\{ *\$0 [!=]= "/
            )
        }
    }

    /// Whether a file is held to it: splitting, where the text is a stranger's.
    func applies(to path: String) -> Bool {
        guard self == .noSplittingByCharacter else {
            return path.hasPrefix("Modules/") || path.hasPrefix("Plugins/")
        }
        return path.contains(
            /^(Modules\/Push(Core|JOSE|TransportRules)|Plugins\/\w+\/(Provider|Reference)|Examples\/Programs\/(LocalServer|PushCapture|PushAuthCommand\/(Inspect|Intake)))\//
        )
    }

    /// The places that break it.
    func breaches(in sources: [Source]) -> [String] {
        let (words, pattern) = (words, pattern)
        return sources.flatMap { source in
            source.code.enumerated().compactMap { index, line in
                words.contains { line.contains($0) } && line.contains(pattern)
                    ? "\(source.place(index)): \(line)" : nil
            }
        }
    }

    /// Lines that break it, and lines that look like it.
    var examples: (breaking: [String], keeping: [String]) {
        switch self {
        case .noForcing:
            (
                ["let a = try! b()", "(a as! B).c()"],
                ["// let a = try! b()", "try? a()", "a as? B"]
            )
        case .noTrap:
            (
                ["fatalError()", "    preconditionFailure(\"a\")", "default: precondition(a > 1)"],
                ["/// Calls fatalError() never.", "let precondition = 1"]
            )
        case .noStaticVariable:
            (
                ["static var a = 1", "    private static var a: Int", "static var a: B = C {"],
                ["static var a: Int { 1 }", "static let a = 1"]
            )
        case .noSharedInstance: (["public static let shared = A()"], ["let shared = 1"])
        case .noGlobalVariable:
            (
                ["var a = 1", "nonisolated(unsafe) var a: Int", "public var a = 2"],
                ["    var a = 1", "var a: Int { 1 }"]
            )
        case .noUntypedValues: (["let a: [String: Any] = b"], ["let a: [String: any B]"])
        case .noSplittingByCharacter:
            (
                [
                    "a.split(separator: \"&\")", "a.prefix { $0 != \"#\" }",
                    "a.firstIndex(of: \"/\")",
                    "a.components(separatedBy: b)", "a.drop(while: { $0 == \" \" })",
                ],
                [
                    "a.utf8.split(separator: 0x26)", "a.parts(at: \"&\")",
                    "a.joined(separator: \"&\")",
                ]
            )
        }
    }
}

/// What must not be written: traps and global state in what ships, exceptions without a reason, long
/// files, what is left for later.
struct HabitsTests {
    @Test(arguments: Habit.allCases) func `what ships keeps the habit`(_ habit: Habit) throws {
        let sources = try Repository.here.sources().filter { habit.applies(to: $0.path) }
        #expect(sources.count > 250)
        #expect(habit.breaches(in: sources) == [])
    }

    @Test(arguments: Habit.allCases) func `what breaks the habit is found`(_ habit: Habit) {
        for line in habit.examples.breaking {
            #expect(habit.breaches(in: [Source(line)]).count == 1, "\(line)")
        }
        for line in habit.examples.keeping {
            #expect(habit.breaches(in: [Source(line)]) == [], "\(line)")
        }
    }

    // MARK: Reasons

    @Test func `all of Foundation is imported only for a reason that stands there`() throws {
        for source in try Repository.here.shipped() {
            #expect(Self.unexcusedFoundation(in: source) == [])
        }
        #expect(Self.unexcusedFoundation(in: Source("import Foundation")).count == 1)
        #expect(Self.unexcusedFoundation(in: Source("public import Foundation")).count == 1)
        for excused in [
            "import Foundation  // for what", "// For what.\nimport Foundation",
            """
            #if canImport(FoundationEssentials)
                import FoundationEssentials
            #else
                import Foundation
            #endif
            """, "import FoundationEssentials",
        ] {
            #expect(Self.unexcusedFoundation(in: Source(excused)) == [])
        }
    }

    /// Where all of Foundation is imported, neither for lack of FoundationEssentials nor with a
    /// comment on the line or above it.
    private static func unexcusedFoundation(in source: Source) -> [String] {
        var branches: [(essentials: Bool, isOther: Bool)] = []
        var found: [String] = []
        for (index, line) in source.lines.enumerated() {
            let text = line.trimmingPrefix { $0 == " " || $0 == "\t" }
            if text.hasPrefix("#if") {
                branches.append((text.contains("canImport(FoundationEssentials)"), false))
            } else if text.hasPrefix("#else"), let last = branches.indices.last {
                branches[last].isOther = true
            } else if text.hasPrefix("#endif") {
                branches.removeLast()
            }
            guard line.contains("import Foundation"), !Source.isComment(line),
                source.code[index].contains(/import +Foundation *$/)
            else { continue }
            let isExcused =
                line.contains("//") || index > 0 && Source.isComment(source.lines[index - 1])
                || branches.contains { $0.essentials && $0.isOther }
            if !isExcused { found.append(source.place(index)) }
        }
        return found
    }

    @Test func `each unchecked Sendable says why it is safe`() throws {
        for source in try Repository.here.shipped() {
            #expect(Self.unexplainedSendable(in: source) == [])
        }
        let bare = "final class A: @unchecked Sendable {}"
        #expect(Self.unexplainedSendable(in: Source(bare)).count == 1)
        #expect(Self.unexplainedSendable(in: Source("/// An example.\n" + bare)).count == 1)
        for excused in [
            bare + "  // nothing in it changes", "// Nothing in it changes.\n" + bare,
            "/// An example, safe as nothing in it changes.\n@available(*, deprecated)\n" + bare,
        ] {
            #expect(Self.unexplainedSendable(in: Source(excused)) == [])
        }
    }

    private static func unexplainedSendable(in source: Source) -> [String] {
        var found: [String] = []
        for (index, line) in source.lines.enumerated()
        where line.contains("@unchecked Sendable") && !Source.isComment(line) {
            if line.contains("//") { continue }
            var above = index
            // Attributes and the lines that a declaration is broken into stand between.
            while above > 0, !Source.isComment(source.lines[above - 1]),
                source.lines[above - 1].contains(/^ *@|(class|struct|enum|actor|extension) [^{]*$/)
            {
                above -= 1
            }
            var comment = ""
            while above > 0, Source.isComment(source.lines[above - 1]) {
                above -= 1
                comment += source.lines[above] + "\n"
            }
            if !comment.contains(/(^|\n) *\/\/[^\/]|[Ss]afe|Sendable/) {
                found.append(source.place(index))
            }
        }
        return found
    }

    // MARK: Everywhere

    @Test func `no Swift file has more than 300 lines`() throws {
        let sources = try Repository.here.sources()
        #expect(sources.count > 1_000)
        // A file's last line ends with a newline.
        #expect(sources.filter { $0.lines.count > 301 }.map(\.path) == [])
    }

    @Test func `nothing is left for later, and all tests are of Swift Testing`() throws {
        let later = ["TO" + "DO", "FIX" + "ME"]
        let here = Repository.here
        for path in try here.paths(in: ["Modules", "Plugins", "Tests", "Examples", "docs"]) {
            guard let text = try here.text(of: path) else { continue }
            for word in later where text.contains(word) {
                let isWord = text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
                    .contains(word[...])
                #expect(!isWord, "\(path)")
            }
            #expect(!text.contains("import XC" + "Test"), "\(path)")
        }
    }
}
