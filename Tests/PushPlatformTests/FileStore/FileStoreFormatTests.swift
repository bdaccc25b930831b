import ExternalTool
import Foundation
import PushCore
import Testing

@testable import PushPlatform

struct FileStoreFormatTests {
    /// Reads the store by what `docs/file-store.md` says, and nothing else.
    private static let script = """
        import sys, os, base64, hashlib, hmac, struct
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        from cryptography.hazmat.primitives.hashes import SHA256
        root, key = sys.argv[1], bytes.fromhex(sys.argv[2])
        def derive(use, count=32):
            info = b'push-auth file store 1 ' + use
            return HKDF(SHA256(), count, None, info).derive(key)
        def unseal(key, box, bound):
            once = hmac.new(key, box[:24], hashlib.sha256).digest()
            return AESGCM(once).decrypt(bytes(12), box[24:], bound)
        def b64(text):
            return base64.urlsafe_b64decode(text + '=' * (-len(text) % 4))
        def prefixed(data):
            return struct.pack('>I', len(data)) + data
        def reveal(text, scope):
            box = b64(text[2:])
            name = unseal(derive(b'name seals'), box, scope)
            tag = hmac.new(derive(b'name tags'), prefixed(scope) + name, hashlib.sha256).digest()
            assert tag[:24] == box[:24]
            return name
        header = open(root + '/header', 'rb').read()
        lines = header.decode().splitlines()
        assert lines[0] == 'push-auth file store 1'
        word, kid, check = lines[1].split()
        assert word == 'key' and kid == derive(b'key id', 8).hex()
        assert unseal(derive(b'check'), b64(check), kid.encode()) == b'push-auth file store 1'
        assert lines[2] == 'sum ' + hashlib.sha256(header[:header.rindex(b'sum ')]).hexdigest()
        for folder in sorted(os.listdir(root)):
            if not folder.startswith('c.'): continue
            collection = reveal(folder, b'collections')
            for name in os.listdir(root + '/' + folder):
                data = open(f'{root}/{folder}/{name}', 'rb').read()
                assert data[:6] == b'PAFR\\x01\\xfe'
                revision, length = struct.unpack('>QI', data[6:18])
                end = 18 + length
                names = unseal(derive(b'values'), data[18:end], b'record' + data[:18])
                assert names[:4 + len(collection)] == prefixed(collection)
                full = names[4 + len(collection):]
                scope = b'names of ' + collection
                if name.startswith('r.'):
                    assert reveal(name, scope) == full
                else:
                    tag = hmac.new(derive(b'name tags'), prefixed(scope) + full, hashlib.sha256)
                    assert b64(name[2:]) == tag.digest()
                value = unseal(
                    derive(b'values'), data[end:], data[:end] + prefixed(collection) + full)
                print(collection.decode(), full.decode(), revision, value.hex())
        """

    @Test(.enabled(if: ExternalTool.hasCryptography))
    func `another program reads the files by their description`() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.open()
        try await store.put([1, 2, 3], .ada)
        try await store.put([], .long)
        let output = ExternalTool.python.run(
            ["-c", Self.script, fixture.root, Hexadecimal.text(StoreFixture.bytes)])
        let lines = output.map { Set(String(decoding: $0, as: UTF8.self).split(separator: "\n")) }
        let revisions = [
            try await store.read(.ada)?.revision.value, try await store.read(.long)?.revision.value,
        ].compactMap { $0 }
        #expect(
            lines == [
                "claim/acme ada \(revisions[0]) 010203",
                "claim/acme \(RecordKey.long.name) \(revisions[1]) ",
            ])
    }

    @Test func `a name of any length gives a file name that fits`() async throws {
        let keys = try await StoreFixture.key.keys()
        for count in [0, 1, 148, 149, 150, 1000] {
            let key = RecordKey(
                String(repeating: "c", count: count), String(repeating: "n", count: count))
            let place = try FileStore.Place(key, keys)
            #expect(place.folder.utf8.count <= 255 && place.file.utf8.count <= 255)
            let isShort = count <= 149
            #expect(
                try FileStore.Place.collection(ofFolder: place.folder, keys)
                    == (isShort ? key.collection : nil))
            #expect(
                try FileStore.Place.name(ofFile: place.file, in: key.collection, keys)
                    == (isShort ? key.name : nil))
        }
    }

    @Test func `one name in two collections, or under two keys, gives different file names`()
        async throws
    {
        var names: Set<String> = []
        for number: UInt8 in [0, 1] {
            let keys = try await StoreFixture.key(number).keys()
            for collection in ["a", "b"] {
                names.insert(try FileStore.Place(RecordKey(collection, "n"), keys).file)
            }
        }
        #expect(names.count == 4)
    }

    @Test func `base64url and digits are read only as they are written`() {
        for count in 0..<40 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + 251) }
            #expect(Bytes.base64URL(reading: Bytes.base64URL(bytes)) == bytes)
            #expect(Hexadecimal.bytes(Hexadecimal.text(bytes).utf8) == bytes)
        }
        for text in ["A", "AB", "A+==", "AA=", "AA==", "A A", "AAA\u{E9}"] {
            #expect(Bytes.base64URL(reading: text) == nil)
        }
        for text in ["a", "0g", "é", " 1"] {
            #expect(Hexadecimal.bytes(text.utf8) == nil)
        }
    }
}
