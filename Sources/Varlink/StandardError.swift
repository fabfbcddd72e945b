package import JSON
package import SecretMemory

/// The errors of `org.varlink.service`.
///
/// Those that name what was asked for give back the caller's own words, and only as far as they are a
/// name by Varlink's grammar: a letter first, then letters, digits, dots, hyphens, underscores, 128
/// bytes at the most. Anything else that a caller sends, a misplaced token above all (Weibo's begin
/// with a digit), is not echoed.
package enum StandardError {
    /// The longest name that is given back, in bytes.
    private static let maximumName = 128

    /// The caller may not do this.
    package static func permissionDenied(_ out: inout SecretBuffer) throws(SecretMemoryError) {
        try MessageWriter.beginError("org.varlink.service.PermissionDenied", &out).end(&out)
    }

    /// The method answers only to a call with `more`.
    package static func expectedMore(_ out: inout SecretBuffer) throws(SecretMemoryError) {
        try MessageWriter.beginError("org.varlink.service.ExpectedMore", &out).end(&out)
    }

    /// A parameter is missing, unknown or of another type.
    package static func invalidParameter(
        _ name: StaticString, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        var reply = try MessageWriter.beginError("org.varlink.service.InvalidParameter", &out)
        try reply.name("parameter", &out)
        try out.appendJSONString(name)
        try reply.end(&out)
    }

    /// The parameter that a caller named is not known.
    package static func invalidParameter(
        named node: JSONIndex.Node, _ index: borrowing JSONIndex, _ text: Span<UInt8>,
        _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        var reply = try MessageWriter.beginError("org.varlink.service.InvalidParameter", &out)
        try reply.name("parameter", &out)
        try appendName(node, index.decodedCount(of: node, in: text), index, text, &out)
        try reply.end(&out)
    }

    /// The interface is not served.
    package static func interfaceNotFound(
        _ node: JSONIndex.Node, _ index: borrowing JSONIndex, _ text: Span<UInt8>,
        _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        var reply = try MessageWriter.beginError("org.varlink.service.InterfaceNotFound", &out)
        try reply.name("interface", &out)
        try appendName(node, index.decodedCount(of: node, in: text), index, text, &out)
        try reply.end(&out)
    }

    /// The interface is served and has no such method, or the interface is not served: the method's
    /// name tells which of the two errors it is.
    package static func notFound(
        method node: JSONIndex.Node, interfaceIsServed: Bool, _ index: borrowing JSONIndex,
        _ text: Span<UInt8>, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        if interfaceIsServed {
            var reply = try MessageWriter.beginError("org.varlink.service.MethodNotFound", &out)
            try reply.name("method", &out)
            try appendName(node, index.decodedCount(of: node, in: text), index, text, &out)
            try reply.end(&out)
            return
        }
        var reply = try MessageWriter.beginError("org.varlink.service.InterfaceNotFound", &out)
        try reply.name("interface", &out)
        try appendName(node, interfaceLength(of: node, index, text), index, text, &out)
        try reply.end(&out)
    }

    /// How many bytes of a method's name are its interface's: those before the last dot.
    static func interfaceLength(
        of method: JSONIndex.Node, _ index: borrowing JSONIndex, _ text: Span<UInt8>
    ) -> Int {
        var count = 0
        var length = 0
        index.forEachByte(of: method, in: text) { byte in
            if byte == UInt8(ascii: ".") { length = count }
            count += 1
        }
        return length
    }

    // As many bytes of a string as are wanted, if they are a name. How the caller spelt it makes no
    // difference: escapes are decoded.
    private static func appendName(
        _ node: JSONIndex.Node, _ length: Int, _ index: borrowing JSONIndex, _ text: Span<UInt8>,
        _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        var isName = length <= maximumName
        var count = 0
        index.forEachByte(of: node, in: text) { byte in
            if count < length, !mayStand(byte, at: count) { isName = false }
            count += 1
        }
        try out.append("\"")
        if isName {
            // Nothing of a name must be escaped.
            var left = length
            try index.forEachByte(of: node, in: text) { byte throws(SecretMemoryError) in
                if left > 0 { try out.append(byte) }
                left -= 1
            }
        }
        try out.append("\"")
    }

    private static func mayStand(_ byte: UInt8, at position: Int) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            position > 0
        default: false
        }
    }
}
