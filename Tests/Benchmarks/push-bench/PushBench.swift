import Dispatch
import Foundation
import Harness

@main
enum PushBench {
    static func main() {
        // Not on the main actor, from where each call of a store would be a change of threads. And
        // the main thread waits instead of leaving, as after an async `main`: valgrind needs it.
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            do {
                let arguments = Array(CommandLine.arguments.dropFirst())
                if arguments.first == "fleet" {
                    try await FleetReport(Array(arguments.dropFirst())).run()
                } else if arguments.first == "stores" {
                    try await StoreReport(Array(arguments.dropFirst())).run()
                } else if arguments.first == "growth" {
                    try await GrowthReport(Array(arguments.dropFirst())).run()
                } else if arguments.first == "logins" {
                    try await LoginReport(Array(arguments.dropFirst())).run()
                } else {
                    try await run(
                        [
                            receiving, loggingIn, receivingRS256, receivingES256,
                            receivingPrivacyIDEA, verifyingJWT, powerAuth, reading,
                            hostileReading, storing, writingToEtcd, writingToPostgres,
                        ], arguments: arguments)
                }
            } catch {
                print(error)
                exit(1)
            }
            done.signal()
        }
        done.wait()
    }
}
