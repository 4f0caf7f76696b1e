/// Reads requests off the front of a byte stream (RFC 9112), strictly: what could be read in two ways is refused.
///
/// Pure. Holds the bytes that do not yet make a request; never more than the limits of head and body.
struct HTTPReader {
    enum Step {
        case needsMore
        /// The head announces a body, and its sender waits to be told to send it.
        case wantsContinue
        case request(HTTPRequest)
        /// Answer with this, then close: where the next request begins is not known.
        case refused(HTTPResponse)
    }

    private let maxHeadBytes: Int
    private let maxBodyBytes: Int
    private var bytes: [UInt8] = []
    /// The request whose body is still coming, and the size of that.
    private var head: HTTPRequest?
    private var bodyCount = 0

    init(maxHeadBytes: Int, maxBodyBytes: Int) {
        self.maxHeadBytes = maxHeadBytes
        self.maxBodyBytes = maxBodyBytes
    }

    /// Bytes that are no request yet.
    var waitingBytes: Int { bytes.count }

    mutating func append(_ more: UnsafeRawBufferPointer) { bytes.append(contentsOf: more) }

    /// What follows the last request: after an upgrade that is no longer HTTP.
    mutating func takeRest() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    mutating func next() -> Step {
        if head == nil {
            guard let end = endOfHead() else {
                return bytes.count > maxHeadBytes ? .refused(Self.headTooLong) : .needsMore
            }
            guard end <= maxHeadBytes else { return .refused(Self.headTooLong) }
            switch RequestHead.parse(bytes[..<end]) {
            case .failure(let refusal): return .refused(refusal.response)
            case .success(let request):
                bytes.removeFirst(end)
                switch bodySize(of: request) {
                case .failure(let refusal): return .refused(refusal.response)
                case .success(let size): bodyCount = size
                }
                head = request
                if bodyCount > bytes.count, request.hasToken("expect", "100-continue") { return .wantsContinue }
            }
        }
        guard bytes.count >= bodyCount, var request = head else { return .needsMore }
        request.body = Array(bytes.prefix(bodyCount))
        bytes.removeFirst(bodyCount)
        head = nil
        return .request(request)
    }

    private static let headTooLong = HTTPResponse.text(431, "The request's head is too long.")

    private func bodySize(of request: HTTPRequest) -> Result<Int, HTTPRefusal> {
        if request.header("transfer-encoding") != nil {
            return .failure(HTTPRefusal(411, "Send the body with Content-Length."))
        }
        let lengths = Set(request.headers.lazy.filter { $0.name == "content-length" }.map(\.value))
        guard let text = lengths.first else { return .success(0) }
        guard lengths.count == 1, !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else {
            return .failure(HTTPRefusal(400, "Content-Length is not one number."))
        }
        guard let size = Int(text), size <= maxBodyBytes else {
            return .failure(HTTPRefusal(413, "The body is larger than \(maxBodyBytes) bytes."))
        }
        return .success(size)
    }

    /// The index after the empty line that ends the head.
    private mutating func endOfHead() -> Int? {
        // Empty lines before a request are passed over (RFC 9112 2.2).
        while bytes.count >= 2, bytes[0] == 13, bytes[1] == 10 { bytes.removeFirst(2) }
        return bytes.withUnsafeBytes { bytes in
            var index = 3
            while index < bytes.count {
                if bytes[index] == 10, bytes[index - 1] == 13, bytes[index - 2] == 10, bytes[index - 3] == 13 {
                    return index + 1
                }
                index += 1
            }
            return nil
        }
    }
}

/// A request that is answered without being asked of anyone.
struct HTTPRefusal: Error {
    let response: HTTPResponse

    init(_ status: Int, _ line: String) { response = .text(status, line) }
}
