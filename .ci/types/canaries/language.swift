// swift-format-ignore-file
// Each line that must be an error says for which targets. The check gives up if it sees anything else.
import Crypto
import Foundation
import Synchronization

struct Wrong: Error {}
typealias Handler = @Sendable (Int) async throws(Wrong) -> Void

func text(_ bytes: [UInt8]) -> String? { String(validating: bytes, as: UTF8.self) }  // wrong: ios16 macos13 ios17
func handlers() -> [String: Handler] { [:] }  // wrong: ios16 macos13 ios17
func first(_ all: [String: Handler]) -> Handler? { all.values.first }  // wrong: ios16 macos13 ios17
func mutex() { _ = Mutex(1) }  // wrong: ios16 macos13 ios17
func inline(_ x: [1 of Int]) {}  // wrong: ios16 macos13 ios17 ios18 macos15
func group() async { await withDiscardingTaskGroup { _ in } }  // wrong: ios16 macos13
func url() { _ = URL(string: "", encodingInvalidCharacters: true) }  // wrong: ios16 macos13
func path() { _ = URL(filePath: "") }
func duration(_ d: Duration) -> Duration { d * 2 }
func derived(_ key: SymmetricKey) -> SymmetricKey { HKDF<SHA256>.deriveKey(inputKeyMaterial: key, outputByteCount: 32) }
func compressed(_ key: P256.Signing.PublicKey) -> Data { key.compressedRepresentation }
func newest() { _ = SHA3_256() }  // wrong: ios16 macos13 ios17 ios18 macos15
func unknown() { _ = Data().noSuchMember }  // wrong: always
