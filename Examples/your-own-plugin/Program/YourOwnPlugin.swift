import Foundation
import PushAcme
import PushAcmeSimulator
import PushCore
import PushTesting

/// Runs Acme's flows against its simulator, in this process.
@main
struct YourOwnPlugin {
    private static let usage = """
        usage: your-own-plugin [--help]

        Runs the flows of Acme, the plugin that "Writing a plugin" is about, against Acme's
        simulator in this process, and prints what came of each. It exits with status 0 if all
        came out as they should, with 1 if one didn't, and with 64 if it is called wrongly.
        """

    static func main() async {
        switch Array(CommandLine.arguments.dropFirst()) {
        case []: break
        case ["--help"], ["-h"]:
            print(usage)
            exit(0)
        default:
            FileHandle.standardError.write(Data((usage + "\n").utf8))
            exit(64)
        }
        do {
            let flows = try await Flows()
            var isFine = true
            for flow in Flows.all {
                let found = try await flow.run(flows)
                isFine = isFine && found == flow.expected
                let name = flow.name.padding(toLength: 28, withPad: " ", startingAt: 0)
                print(name + found + (found == flow.expected ? "" : ", not \(flow.expected)"))
            }
            exit(isFine ? 0 : 1)
        } catch {
            FileHandle.standardError.write(Data("your-own-plugin: \(error)\n".utf8))
            exit(1)
        }
    }
}
