#if os(Linux)
import Foundation
import PushCore
import PushPlatform
import PushTesting
import Testing

@testable import PushAuthCommand
@testable import push_lab

/// What a debugger finds in a process that waits between two answers.
@Suite(.timeLimit(.minutes(30))) struct `a dump of pushauth listen` {
    private static let passphrase = "correct horse battery"

    /// Whether one of two processes side by side may look into the other.
    private static var canDump: Bool {
        let scope = try? String(
            contentsOfFile: "/proc/sys/kernel/yama/ptrace_scope", encoding: .utf8)
        return FileManager.default.isExecutableFile(atPath: "/usr/bin/gcore")
            && (geteuid() == 0 || (scope ?? "0").hasPrefix("0"))
    }

    @Test(
        .enabled(if: canDump, "gcore isn't installed, or the system lets it look into nothing"),
        arguments: ["privacyidea", "keycloak"])
    func `between answers holds no form of a guarded key, and no passphrase`(
        name: String
    ) async throws {
        try await PushAuthSite.run(atVendor: name) { site, vendor in
            let id = try await site.join(vendor)
            let key = try #require(try await storedKey(in: site))
            try await shut(id, site)
            #expect(try await storedKey(in: site)?.isEmpty == true)

            let pushes = site.directory.appendingPathComponent("pushes").path
            try #require(mkfifo(pushes, 0o600) == 0)
            let input = FileHandle(
                fileDescriptor: open(pushes, O_RDWR | O_CLOEXEC), closeOnDealloc: true)
            let numberFile = try site.file("number", "")
            let policy = try site.file("policy.toml", "[[rule]]\naction = \"approve\"\n")
            let terminal = try PseudoTerminal()
            let command =
                "echo $$ >'\(numberFile)'; exec '\(Program("pushauth").executable.path)' listen "
                + "--stdin --json --policy '\(policy)' <'\(pushes)' >events"
            let listening = Task {
                try await terminal.run(
                    shell: command, in: site.directory, environment: site.environment,
                    answers: ["Passphrase: ": Self.passphrase])
            }
            var asked = 0
            for _ in 0..<2 {
                try await approve(at: vendor, site, by: input)
                let questions = terminal.shown.components(separatedBy: "Passphrase: ").count - 1
                #expect(questions > asked)
                asked = questions
                let dump = try await dump(RunningProcess(numberFile: numberFile), in: site)
                var needles = Needles(of: key)
                needles.add("passphrase", Data(Self.passphrase.utf8))
                // Its environment has it: the search finds what is there.
                needles.add("home", Data(site.directory.path.utf8))
                let found = try await needles.found(in: dump)
                #expect(found == ["home"], "\(found)")
            }
            try input.close()
            #expect(try await listening.value.code == 0)
        }
    }

    /// Logs jane in, and returns once that is answered and told.
    private func approve(
        at vendor: ConsoleVendor, _ site: PushAuthSite, by input: FileHandle
    ) async throws {
        let login = try await vendor.simulator.startLogin(of: "jane", asking: .confirm)
        for push in await vendor.simulator.takePushes() {
            try input.write(contentsOf: push.payload + Data("\n".utf8))
        }
        let events = site.directory.appendingPathComponent("events").path
        let count = answers(in: events)
        let start = ContinuousClock.now
        while answers(in: events) == count {
            try #require(start.duration(to: .now) < .seconds(600), "It wasn't answered.")
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(try await vendor.simulator.status(of: login.id) == .approved)
    }

    private func answers(in file: String) -> Int {
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        return text.components(separatedBy: "\"answered\"").count
    }

    private func shut(_ id: String, _ site: PushAuthSite) async throws {
        let terminal = try PseudoTerminal()
        let output = try await terminal.run(site, ["guard", id, "deviceOwner", "--yes"]) {
            for question in ["New passphrase: ", "The same again: "] {
                await $0.waits(for: question)
                $0.type(Self.passphrase + "\n")
            }
        }
        try #require(output.contains("code 0\n"), "\(output)")
    }

    /// The device's key as the only enrollment's record has it; empty behind a guard.
    private func storedKey(in site: PushAuthSite) async throws -> Data? {
        let store = try await FileStore(at: site.store.path, key: .file(site.keyFile.path))
        let environment = PushEnvironment(
            transport: SystemTransport(), store: store,
            verifier: CommandUser(VerificationOptions()),
            device: Device(name: "test"))
        for provider in ["privacyidea", "keycloak"] {
            let accounts = environment.accounts(for: ProviderID(rawValue: provider))
            guard let id = try await accounts.ids().first else { continue }
            let half = try await accounts.existing(id).credential(as: StoredHalf.self)
            return try Secret.Record(reading: half.sealed).secrets.first?.withBytes { Data($0) }
        }
        return nil
    }

    private func dump(_ process: RunningProcess, in site: PushAuthSite) async throws -> String {
        let file = site.directory.appendingPathComponent("core").path
        let number = try process.number
        let result = try await Program(at: URL(fileURLWithPath: "/usr/bin/gcore"))
            .run(["-o", file, number])
        try #require(result.exitCode == 0, "\(result.output)\(result.errors)")
        return "\(file).\(number)"
    }
}

/// A provider's half as it is stored, whatever is in it.
private struct StoredHalf: ProviderCredential {
    let sealed: Secret

    init(reading sealed: Secret) { self.sealed = sealed }
}

/// The forms of a key that a dump is searched for.
private struct Needles {
    private var forms: [(name: String, bytes: Data)] = []

    /// - Parameter key: A number of P-256, or an RSA key in DER.
    init(of key: Data) {
        addForms("key", key)
        guard key.count > 32 else { return }
        // RFC 8017, appendix A.1.2: version, n, e, d, p, q, and what follows from these.
        let names = ["d", "p", "q", "dP", "dQ", "qInv"]
        for (name, number) in zip(names, Self.numbers(in: key).dropFirst(3)) {
            addForms(name, number)
        }
    }

    mutating func add(_ name: String, _ bytes: Data) { forms.append((name, bytes)) }

    private mutating func addForms(_ name: String, _ bytes: Data) {
        add(name, bytes)
        add("\(name)-backwards", Data(bytes.reversed()))
        add("\(name)-hexadecimal", Data(bytes.hexadecimal.utf8))
        // What stands before it in a text decides at which of its bytes a group of digits begins.
        for start in 0..<3 {
            let part = bytes.dropFirst(start)
            let text = part.prefix(part.count / 3 * 3).base64EncodedString()
            add("\(name)-base64", Data(text.utf8))
            let urlText = text.replacing("+", with: "-").replacing("/", with: "_")
            add("\(name)-base64url", Data(urlText.utf8))
        }
    }

    /// The integers of DER, in order, without the zero byte that makes them positive.
    private static func numbers(in der: Data) -> [Data] {
        var numbers: [Data] = []
        var rest = Data(der)[...]
        while let tag = rest.popFirst(), let first = rest.popFirst() {
            var count = Int(first)
            if first > 0x80 {
                count = rest.prefix(Int(first) - 0x80).reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(Int(first) - 0x80)
            }
            switch tag {
            case 0x02:
                numbers.append(Data(rest.prefix(count).drop { $0 == 0 }))
                rest = rest.dropFirst(count)
            // Sequences, and the octets that hold a key in PKCS #8, are gone into.
            case 0x30, 0x04: break
            default: rest = rest.dropFirst(count)
            }
        }
        // PKCS #8 has a version of its own before them.
        return numbers.suffix(9)
    }

    /// The names of those that a file holds.
    func found(in file: String) async throws -> Set<String> {
        let script = """
            import sys
            memory = open(sys.argv[1], 'rb').read()
            for line in sys.stdin:
                name, digits = line.split()
                if bytes.fromhex(digits) in memory: print(name)
            """
        let lines = forms.map { "\($0.name) \($0.bytes.hexadecimal)\n" }.joined()
        let result = try await Program(at: URL(fileURLWithPath: "/usr/bin/env"))
            .run(["python3", "-c", script, file], text: lines)
        try FileManager.default.removeItem(atPath: file)
        try #require(result.exitCode == 0, "\(result.errors)")
        return Set(result.output.split(separator: "\n").map(String.init))
    }
}
#endif
