import ExternalTool
import Foundation
import PushCore
import PushPlatform
import PushTesting
import Testing

@testable import PushSealing

struct SealedFormatTests {
    /// Opens one record by what `docs/sealed-store.md` says, and nothing else.
    private static let script = """
        import sys, json, base64, hashlib, hmac, struct
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        from cryptography.hazmat.primitives.hashes import SHA256
        key, tenant = bytes.fromhex(sys.argv[1]), sys.argv[2].encode()
        records = json.load(sys.stdin)
        def derive(root, use, count=32):
            info = b'push-auth sealed store 1 ' + use
            return HKDF(SHA256(), count, None, info).derive(root)
        def unseal(key, box, bound):
            once = hmac.new(key, box[:24], hashlib.sha256).digest()
            return AESGCM(once).decrypt(bytes(12), box[24:], bound)
        def b64(text):
            return base64.urlsafe_b64decode(text + '=' * (-len(text) % 4))
        def prefixed(data):
            return struct.pack('>I', len(data)) + data
        header = b64([r[2] for r in records if r[:2] == ['store', 'header']][0])
        lines = header.decode().splitlines()
        assert lines[0] == 'push-auth sealed store 1'
        assert lines[1] == 'generation 1'
        word, kid, wrapped = lines[2].split()
        assert word == 'key' and kid == derive(key, b'key id', 8).hex()
        names = unseal(derive(key, b'check'), b64(wrapped), prefixed(tenant) + kid.encode())
        assert names == derive(key, b'names')
        signed = prefixed(tenant) + header[:header.index(b'mac ')]
        mac = hmac.new(derive(key, b'header'), signed, hashlib.sha256).digest()
        assert lines[3].split()[:2] == ['mac', kid] and b64(lines[3].split()[2]) == mac
        assert lines[4] == 'sum ' + hashlib.sha256(header[:header.rindex(b'sum ')]).hexdigest()
        def reveal(text, scope):
            box = b64(text)
            name = unseal(derive(names, b'name seals'), box, scope)
            tag = hmac.new(derive(names, b'name tags'), prefixed(scope) + name, hashlib.sha256)
            assert tag.digest()[:24] == box[:24]
            return name
        for place, name, value in records:
            if place == 'store': continue
            collection = reveal(place, b'collections of ' + tenant)
            if b'.' in name.encode():
                scope, rest = name.split('.')
                scope = reveal(scope, b'scopes of ' + tenant + b' ' + collection)
                bound = b'names in a scope of ' + tenant + b' ' + collection + b' ' + scope
                name = b'%d:%s/' % (len(scope), scope) + (reveal(rest, bound) if rest else b'')
            else:
                name = reveal(name, b'names of ' + tenant + b' ' + collection)
            data = b64(value)
            assert data[:6] == b'PASR\\x01\\xfe' and data[6:14].hex() == kid
            end = 18 + struct.unpack('>I', data[14:18])[0]
            both = prefixed(collection) + name
            assert unseal(derive(key, b'values'), data[18:end], prefixed(tenant) + data[:18]) == both
            plain = unseal(derive(key, b'values'), data[end:], prefixed(tenant) + data[:end] + both)
            print(collection.decode(), name.decode(), plain.hex())
        """

    @Test(.enabled(if: ExternalTool.hasCryptography))
    func `another program opens a sealed value by its description`() async throws {
        let base = InMemoryStore()
        let store = try await SealedStore.opened(over: base, tenant: "acme")
        try await store.write(
            Secret([1, 2, 3]), for: RecordKey("credential", "ada"), replacing: nil)
        let long = String(repeating: "n", count: 1000)
        try await store.write(Secret([]), for: RecordKey("row", long), replacing: nil)
        let device = ScopedStore(store, scope: "d/1")
        try await device.write(Secret([4]), for: RecordKey("enrollment", "r"), replacing: nil)
        try await device.write(Secret([5]), for: RecordKey("row", "r"), replacing: nil)
        var records: [JSON] = []
        for record in try await base.page(after: nil, limit: 10).records {
            let value = try record.content.get()?.value.withBytes { Array($0) } ?? []
            records.append(
                .array(
                    [record.key.collection, record.key.name, Bytes.base64URL(value)]
                        .map(JSON.string)))
        }
        let output = ExternalTool.python.run(
            ["-c", Self.script, Hexadecimal.text(Sample.bytes), "acme"],
            input: Data(JSON.array(records).utf8))
        let lines = output.map { Set(String(decoding: $0, as: UTF8.self).split(separator: "\n")) }
        #expect(
            lines == [
                "credential ada 010203", "row \(long) ", "enrollment 3:d/1/r 04", "3:d/1/row r 05",
            ])
    }
}
