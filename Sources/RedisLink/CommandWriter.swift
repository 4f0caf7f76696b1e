/// Writes commands in Redis's own form (RESP: `*2\r\n$3\r\nGET\r\n$1\r\nk\r\n`) at the end of the buffer that goes to the
/// socket, so that a command costs no allocation of its own.
enum CommandWriter {
    static func append(_ arguments: [RedisArgument], to buffer: inout [UInt8]) {
        appendHeader(UInt8(ascii: "*"), arguments.count, to: &buffer)
        for argument in arguments { append(argument, to: &buffer) }
    }

    private static func append(_ argument: RedisArgument, to buffer: inout [UInt8]) {
        switch argument.storage {
        case .bytes(let bytes):
            appendHeader(UInt8(ascii: "$"), bytes.count, to: &buffer)
            buffer.append(contentsOf: bytes)
        case .text(let text):
            appendHeader(UInt8(ascii: "$"), text.utf8.count, to: &buffer)
            buffer.append(contentsOf: text.utf8)
        case .integer(let value):
            let count = digitCount(value.magnitude) + (value < 0 ? 1 : 0)
            appendHeader(UInt8(ascii: "$"), count, to: &buffer)
            if value < 0 { buffer.append(UInt8(ascii: "-")) }
            appendDigits(value.magnitude, to: &buffer)
        }
        appendLineEnd(to: &buffer)
    }

    private static func appendHeader(_ kind: UInt8, _ count: Int, to buffer: inout [UInt8]) {
        buffer.append(kind)
        appendDigits(UInt64(count), to: &buffer)
        appendLineEnd(to: &buffer)
    }

    private static func appendLineEnd(to buffer: inout [UInt8]) {
        buffer.append(UInt8(ascii: "\r"))
        buffer.append(UInt8(ascii: "\n"))
    }

    private static func appendDigits(_ value: UInt64, to buffer: inout [UInt8]) {
        if value < 10 {
            buffer.append(UInt8(ascii: "0") + UInt8(value))
            return
        }
        var divisor: UInt64 = 1
        for _ in 1..<digitCount(value) { divisor *= 10 }
        var rest = value
        while divisor > 0 {
            buffer.append(UInt8(ascii: "0") + UInt8(rest / divisor))
            rest %= divisor
            divisor /= 10
        }
    }

    private static func digitCount(_ value: UInt64) -> Int {
        var count = 1
        var rest = value
        while rest >= 10 {
            rest /= 10
            count += 1
        }
        return count
    }
}
