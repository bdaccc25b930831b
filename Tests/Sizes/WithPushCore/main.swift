import Foundation
import PushCore

let registry = try PluginRegistry([])
while let line = readLine() {
    print(try await registry.events(from: PushMessage(json: Data(line.utf8))).count)
}
