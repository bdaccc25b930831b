// swift-format-ignore-file
// Stand-in, written for this check: the kinds of codes.

public struct VNBarcodeSymbology: Hashable, Sendable { public static let qr = VNBarcodeSymbology() }
