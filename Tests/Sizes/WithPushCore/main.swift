import Foundation
import PushCore

let registry = try PluginRegistry([])
while let line = readLine() {
    let message = try PushMessage(json: Data(line.utf8))
    print(try registry.offers(for: .scanned(text: message["code"]?.string ?? "")).count)
}
