import Foundation
import PushCore
import PushTesting
import Testing

@testable import push_lab

/// Users of one store on servers, each as if on a machine of its own.
struct FleetSite {
    let site: PushAuthSite
    let store: String
    let keyFile: String

    /// What each command is told of the store.
    var place: [String] { ["--store", store, "--key-file", keyFile] }

    init(_ site: PushAuthSite, at store: String) async throws {
        self.site = site
        self.store = store
        keyFile = try site.file("fleet.key", String(repeating: "5a", count: 32) + "\n")
        chmod(keyFile, 0o600)
    }

    @discardableResult
    func pushauth(
        _ arguments: String..., input: String? = nil, environment: [String: String] = [:]
    ) async throws -> Program.Result {
        try await site.pushauth(arguments + place, input: input, environment: environment)
    }

    /// Makes the fleet and its devices.
    func found(
        _ devices: String..., url: String = "http://127.0.0.1:8080", credentials: String? = nil
    ) async throws {
        var arguments = ["fleet", "init", "--public-url", url]
        if let credentials { arguments += ["--credentials", credentials] }
        let made = try await site.pushauth(arguments + place)
        try #require(made.exitCode == 0, "\(made.errors)")
        guard !devices.isEmpty else { return }
        let added = try await site.pushauth(["device", "add"] + devices + place)
        try #require(added.exitCode == 0, "\(added.errors)")
    }

    /// Makes a device.
    func add(_ device: String) async throws {
        let added = try await pushauth("device", "add", device)
        try #require(added.exitCode == 0, "\(added.errors)")
    }

    /// Which device a device token is of.
    func owner(of token: DeviceToken) async throws -> String? {
        try await pushauth("device", "list", "--json").lines
            .first { $0[token.service == .apns ? "apns" : "fcm"]?.string == token.text }?["device"]?
            .string
    }

    /// Enrolls a user on a device.
    func enroll(
        _ user: String, on device: String, with simulator: some VendorSimulator
    ) async throws {
        let text = try await simulator.invitation(for: user).scannedText ?? ""
        let result = try await pushauth("enroll", "-", "--yes", "--device", device, input: text)
        try #require(result.exitCode == 0, "\(result.errors)")
    }
}

extension DeviceToken {
    /// Its text, as `device list` has it.
    var text: String {
        switch self {
        case .fcm(let text): text
        // Its digits may be written in capitals on the way.
        case .apns(let hex, _): hex.lowercased()
        @unknown default: ""
        }
    }
}
