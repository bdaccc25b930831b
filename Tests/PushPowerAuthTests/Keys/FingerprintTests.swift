import Crypto
import Foundation
import Testing

@testable import PushPowerAuth

/// Of powerauth-crypto, `public-key-fingerprint-v3.json` #0 and #32.
@Suite struct FingerprintTests {
    private let device =
        "BHS5kLb7nQkN4D8hMNbYs7uAj1yVHShh5l/YKIZowo8cN4CK6Q/9X5jb0mQruk/RB4AenmNB9jSKv00T9J8EneA="
    private let server =
        "BLVfJ2NrOBByBZhfS4UtEQU3fLhnzYbWdp3ZVEQPfKtTGXzXIpKqxCVwpRl3X++4OJQJoemybZ/cmkLU5fY2SZE="
    private let id = "6ae8cd16-67a7-4840-8d37-33d9aab6ea51"

    @Test func `the fingerprint is the vendor's`() throws {
        let device = try Sample.point(device)
        let server = try Sample.point(server)
        #expect(
            try Data(device.minimalX) == Sample.data("dLmQtvudCQ3gPyEw1tizu4CPXJUdKGHmX9gohmjCjxw=")
        )
        #expect(
            try Data(server.minimalX) == Sample.data("tV8nY2s4EHIFmF9LhS0RBTd8uGfNhtZ2ndlURA98q1M=")
        )
        #expect(Fingerprint.digits(device: device, activationID: id, server: server) == "80201993")
    }

    @Test func `a coordinate of 31 bytes goes in without its zero`() throws {
        let digits = try Fingerprint.digits(
            device: Sample.point(
                "BAB2Wss9FIzQwHzDXjUc8377ekmVLxw3NoCA35cDPXQbQx9Y8eQXxsyhSLCfw++Ep4jNc6hU7rR9nJNJdXdl7zM="
            ),
            activationID: "1d7d0f53-ca73-4031-ba77-037ad08fe61e",
            server: Sample.point(
                "BIa3m+JL3OplT3R1ephQD3lkHYxm0VGa3+hoEQmnKyGP/xWOC6Dt7142ccaeUOVAtfXU+1/om88fkAomecxdvFw="
            ))
        #expect(digits == "68789801")
    }

    @Test func `the order of the keys and the case of the identifier count`() throws {
        let device = try Sample.point(device)
        let server = try Sample.point(server)
        #expect(Fingerprint.digits(device: server, activationID: id, server: device) != "80201993")
        #expect(
            Fingerprint.digits(device: device, activationID: id.uppercased(), server: server)
                != "80201993")
    }

    @Test func `leading zeros are shown`() {
        let cases: [([UInt8], Int, String)] = [
            ([0, 0, 0, 7], 8, "00000007"), ([0x80, 0, 0, 7], 8, "00000007"),
            // 0x7FFFFFFF is 2 147 483 647.
            ([0xFF, 0xFF, 0xFF, 0xFF], 8, "47483647"), ([0xFF, 0xFF, 0xFF, 0xFF], 4, "3647"),
            ([1, 2, 3, 4, 0, 1, 0, 0], 6, "065536"),
        ]
        for (digest, count, digits) in cases {
            var output = [UInt8](repeating: 0, count: count)
            digest.withUnsafeBytes { digest in
                output.withUnsafeMutableBytes { DecimalCode.write(digest, to: $0) }
            }
            #expect(String(decoding: output, as: UTF8.self) == digits)
        }
    }
}
