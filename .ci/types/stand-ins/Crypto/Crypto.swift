// swift-format-ignore-file
// On Apple's systems swift-crypto's `Crypto` hands on CryptoKit.
@_exported import CryptoKit
