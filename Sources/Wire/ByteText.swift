import Glibc

/// Borrowed bytes that are compared with names in a `switch` without becoming a String. Valid as long as the memory is.
struct ByteText {
    let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    @inline(__always)
    static func ~= (name: StaticString, text: ByteText) -> Bool {
        guard text.bytes.count == name.utf8CodeUnitCount, let base = text.bytes.baseAddress else { return false }
        return memcmp(base, name.utf8Start, name.utf8CodeUnitCount) == 0
    }
}

/// Bytes written one after another into borrowed memory, which must be large enough.
struct ByteSink {
    let buffer: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    init(_ buffer: UnsafeMutableRawBufferPointer) { self.buffer = buffer }

    @inline(__always)
    mutating func put(_ byte: UInt8) {
        buffer[count] = byte
        count += 1
    }
}
