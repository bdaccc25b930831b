/// A device in Python. Its state comes as JSON, goes through one step, and leaves as JSON.
enum RecomputationScript {
    static let text = #"""
        import sys, json, os, hmac, hashlib, base64
        from cryptography.hazmat.primitives import hashes, padding, serialization
        from cryptography.hazmat.primitives.asymmetric import ec, utils
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
        from cryptography.hazmat.primitives.kdf.x963kdf import X963KDF
        S = json.load(sys.stdin)
        P = ec.SECP256R1()
        b = lambda data: base64.b64encode(data).decode()
        raw = lambda text: base64.b64decode(text, validate=True)
        url = lambda data: base64.urlsafe_b64encode(data).rstrip(b'=').decode()
        unurl = lambda text: base64.urlsafe_b64decode(text + '=' * (-len(text) % 4))
        mac = lambda key, message: hmac.new(key, message, hashlib.sha256).digest()
        fold = lambda x: bytes(p ^ q for p, q in zip(x[:16], x[16:32]))
        point = lambda data: ec.EllipticCurvePublicKey.from_encoded_point(P, data)
        inner = lambda key, data: fold(mac(key, data))
        sized = lambda *parts: b''.join(len(p).to_bytes(4, 'big') + p for p in parts)
        step = lambda counter: fold(hashlib.sha256(counter).digest())
        x = lambda key: key.public_numbers().x
        number = lambda n: n.to_bytes((n.bit_length() + 7) // 8, 'big')
        secret = S['appSecret'].encode()

        def aes(key, iv, data, decrypt=False):
            work = Cipher(algorithms.AES(key), modes.CBC(iv))
            work = work.decryptor() if decrypt else work.encryptor()
            return work.update(data) + work.finalize()

        def kdf(key, index):
            return aes(key, bytes(16), bytes(8) + index.to_bytes(8, 'big'))

        def digits(code, count=8):
            value = int.from_bytes(code[-4:], 'big') & 0x7fffffff
            return str(value % 10 ** count).zfill(count)

        def private():
            return ec.derive_private_key(int(S['private']), P)

        def keys():
            server = point(raw(S['serverKey']))
            master = fold(private().exchange(ec.ECDH(), server))
            return [kdf(master, i) for i in (1, 2, 3, 1000)]

        def bound():
            return 'activationId' in S and not S.get('alone')

        def base():
            if bound():
                return mac(keys()[3], secret)
            return hashlib.sha256(secret).digest()

        def associated():
            parts = ['3.3', S['appKey']]
            if bound():
                parts.append(S['activationId'])
            return sized(*(p.encode() for p in parts + [S['keyId']]))

        def seal(plain, info, slot):
            key = ec.generate_private_key(P)
            E = key.public_key().public_bytes(
                serialization.Encoding.X962, serialization.PublicFormat.CompressedPoint)
            z = key.exchange(ec.ECDH(), point(raw(S['keyPoint'])))
            env = X963KDF(hashes.SHA256(), 48, b'3.3' + info.encode() + E).derive(z)
            nonce = os.urandom(16)
            pad = padding.PKCS7(128).padder()
            data = aes(env[:16], inner(env[32:], nonce), pad.update(plain) + pad.finalize())
            rest = sized(base(), nonce, S['now'].to_bytes(8, 'big'), E, associated())
            S[slot] = b(env)
            return dict(temporaryKeyId=S['keyId'], ephemeralPublicKey=b(E),
                encryptedData=b(data), mac=b(mac(env[16:32], data + rest)),
                nonce=b(nonce), timestamp=S['now'])

        def unseal(box, slot):
            assert set(box) == {'encryptedData', 'mac', 'nonce', 'timestamp'}
            env, data, nonce = raw(S[slot]), raw(box['encryptedData']), raw(box['nonce'])
            time = box['timestamp'].to_bytes(8, 'big')
            rest = sized(base(), nonce, time, b'', associated())
            assert mac(env[16:32], data + rest) == raw(box['mac'])
            pad = padding.PKCS7(128).unpadder()
            plain = aes(env[:16], inner(env[32:], nonce), data, True)
            return json.loads(pad.update(plain) + pad.finalize())

        def codes(count, message):
            counter = raw(S['counter'])
            h = [mac(k, counter) for k in keys()[:3]]
            S['counter'] = b(step(counter))
            chained = [h[0], mac(h[1], h[1]), mac(h[2], mac(h[1], h[2]))]
            return [mac(k, message) for k in chained[:count]]

        def normalized(uri, nonce, body, last, method='POST'):
            return '&'.join([method, b(uri.encode()), nonce, b(body.encode()), last]).encode()

        def sign(uri, kind, count, body, method='POST'):
            nonce = b(os.urandom(16))
            made = codes(count, normalized(uri, nonce, body, S['appSecret'], method))
            pairs = dict(pa_version='3.3', pa_activation_id=S['activationId'],
                pa_application_key=S['appKey'], pa_nonce=nonce, pa_signature_type=kind,
                pa_signature=b(b''.join(c[16:] for c in made)))
            text = ', '.join('%s="%s"' % pair for pair in pairs.items())
            S['headers'] = {'X-PowerAuth-Authorization': 'PowerAuth ' + text}
            S['body'] = body

        def verify(key, signature, message):
            key.verify(signature, message, ec.ECDSA(hashes.SHA256()))

        def take_key():
            first, second, signature = S['answer']['responseObject']['jwt'].split('.')
            signer = raw(S['serverKey'] if bound() else S['master'])
            halves = [int.from_bytes(h, 'big') for h in
                (unurl(signature)[:32], unurl(signature)[32:])]
            signature = utils.encode_dss_signature(*halves)
            verify(point(signer), signature, (first + '.' + second).encode())
            claims = json.loads(unurl(second))
            assert claims['challenge'] == S['challenge']
            S['keyId'], S['keyPoint'] = claims['sub'], claims['publicKey']

        def ask_for_key():
            S['challenge'] = b(os.urandom(18))
            claims = dict(applicationKey=S['appKey'], challenge=S['challenge'])
            key = raw(S['appSecret'])
            if bound():
                claims['activationId'] = S['activationId']
                key = inner(keys()[3], key)
            parts = [json.dumps(p).encode() for p in (dict(alg='HS256', typ='JWT'), claims)]
            signed = '.'.join(url(p) for p in parts)
            jwt = signed + '.' + url(mac(key, signed.encode()))
            S['body'], S['headers'] = json.dumps({'requestObject': {'jwt': jwt}}), {}

        def activate():
            take_key()
            code, signature = S['code'].split('#')
            verify(point(raw(S['master'])), raw(signature), code.encode())
            key = ec.generate_private_key(P)
            S['private'] = str(key.private_numbers().private_value)
            mine = key.public_key().public_bytes(
                serialization.Encoding.X962, serialization.PublicFormat.CompressedPoint)
            device = dict(devicePublicKey=b(mine), activationName='Python',
                platform='unknown', deviceInfo='Python')
            box = seal(json.dumps(device).encode(), '/pa/activation', 'innerKeys')
            layer = dict(type='CODE', identityAttributes=dict(code=code), activationData=box)
            info = '/pa/generic/application'
            S['body'] = json.dumps(seal(json.dumps(layer).encode(), info, 'outerKeys'))
            value = 'PowerAuth version="3.3", application_key="%s"' % S['appKey']
            S['headers'] = {'X-PowerAuth-Encryption': value}

        def activated():
            layer = unseal(unseal(S['answer'], 'outerKeys')['activationData'], 'innerKeys')
            S['activationId'], S['serverKey'] = layer['activationId'], layer['serverPublicKey']
            S['counter'] = layer['ctrData']
            pair = [number(x(k)) for k in (private().public_key(), point(raw(S['serverKey'])))]
            joined = pair[0] + S['activationId'].encode() + pair[1]
            S['fingerprint'] = digits(hashlib.sha256(joined).digest())

        def ask_for_status():
            S['challenge'] = b(os.urandom(16))
            request = dict(activationId=S['activationId'], challenge=S['challenge'])
            S['body'], S['headers'] = json.dumps({'requestObject': request}), {}

        def read_status():
            answer, transport = S['answer']['responseObject'], keys()[3]
            salt = raw(S['challenge']) + raw(answer['nonce'])
            iv = inner(kdf(transport, 3000), salt)
            blob = aes(transport, iv, raw(answer['encryptedStatusBlob']), True)
            assert blob[:4] == b'\xde\xc0\xde\xd1'
            S['state'] = blob[4]
            hashed = inner(kdf(transport, 4000), raw(S['counter']))
            S['isInSync'] = blob[16:] == hashed

        def make_token():
            take_key()
            box = seal(b'{}', '/pa/token/create', 'tokenKeys')
            sign('/pa/token/create', 'possession', 1, json.dumps(box))

        def token_header():
            if 'token' not in S:
                S['token'] = unseal(S['answer'], 'tokenKeys')
            token, nonce, time = S['token'], os.urandom(16), str(S['now'])
            message = nonce + b'&' + time.encode() + b'&3.3'
            pairs = dict(version='3.3', token_id=token['tokenId'],
                token_digest=b(mac(raw(token['tokenSecret']), message)), nonce=b(nonce),
                timestamp=time)
            text = ', '.join('%s="%s"' % pair for pair in pairs.items())
            return {'X-PowerAuth-Token': 'PowerAuth ' + text}

        def list_operations():
            S['body'], S['headers'] = '{}', token_header()

        def encryption_header():
            value = 'PowerAuth version="3.3", application_key="%s"' % S['appKey']
            if bound():
                value += ', activation_id="%s"' % S['activationId']
            return {'X-PowerAuth-Encryption': value}

        def pay():
            sign('/secured/payment', 'possession_knowledge', 2, '{"amount":"100.00"}')

        def read():
            query = 'Zeta=*%7E&empty=&note=%C5%BE+%C3%B3&page=2'
            sign('/secured/accounts', 'possession_knowledge', 2, query, 'GET')
            S['body'] = ''

        def order():
            take_key()
            plain = '{"order":7}'
            sign('/order', 'possession_knowledge', 2, plain)
            S['body'] = json.dumps(seal(plain.encode(), '/pa/generic/activation', 'sealed'))

        def log_in():
            take_key()
            box = seal(b'{"user":"ada"}', '/pa/generic/application', 'sealed')
            S['body'], S['headers'] = json.dumps(box), encryption_header()

        def cards():
            S['headers'] = token_header() | encryption_header()
            S['body'] = json.dumps(seal(b'', '/pa/generic/activation', 'sealed'))

        def opened():
            S['opened'] = unseal(S['answer'], 'sealed')

        def unlock():
            take_key()
            box = seal(json.dumps(dict(reason='PYTHON')).encode(), '/pa/vault/unlock', 'sealed')
            sign('/pa/vault/unlock', 'possession_knowledge', 2, json.dumps(box))

        def unlocked():
            lent = raw(unseal(S['answer'], 'sealed')['encryptedVaultEncryptionKey'])
            pad = padding.PKCS7(128).unpadder()
            key = pad.update(aes(keys()[3], bytes(16), lent, True)) + pad.finalize()
            server = point(raw(S['serverKey']))
            assert key == kdf(fold(private().exchange(ec.ECDH(), server)), 2000)
            S['signed'] = b(private().sign(b'contract 42', ec.ECDSA(hashes.SHA256())))

        def approve():
            operation = dict(id=S['operation']['id'], data=S['operation']['data'])
            body = json.dumps({'requestObject': operation})
            sign('/operation/authorize', 'possession_knowledge', 2, body)

        def offline():
            lines = S['qr'].split('\n')
            key = point(raw({'0': S['master'], '1': S['serverKey']}[lines[-1][0]]))
            signature = lines[-1][1:]
            verify(key, raw(signature), S['qr'][:-len(signature)].encode())
            parts = [lines[0], lines[3]] + ([lines[5]] if len(lines) >= 8 else [])
            uri = '/operation/authorize/offline'
            message = normalized(uri, lines[-2], '&'.join(parts), 'offline')
            S['signature'] = '-'.join(digits(c) for c in codes(2, message))

        steps = dict(askForKey=ask_for_key, activate=activate, activated=activated,
            askForStatus=ask_for_status, readStatus=read_status, makeToken=make_token,
            list=list_operations, approve=approve, offline=offline, pay=pay, read=read,
            order=order, logIn=log_in, cards=cards, opened=opened, unlock=unlock,
            unlocked=unlocked)
        steps[S['step']]()
        json.dump(S, sys.stdout)
        """#
}
