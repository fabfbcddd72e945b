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
        try appendName(index.range(of: node), text, &out)
        try reply.end(&out)
    }

    /// The interface is not served.
    package static func interfaceNotFound(
        _ node: JSONIndex.Node, _ index: borrowing JSONIndex, _ text: Span<UInt8>,
        _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        var reply = try MessageWriter.beginError("org.varlink.service.InterfaceNotFound", &out)
        try reply.name("interface", &out)
        try appendName(index.range(of: node), text, &out)
        try reply.end(&out)
    }

    /// The interface is served and has no such method, or the interface is not served: the method's
    /// name tells which of the two errors it is.
    package static func notFound(
        method node: JSONIndex.Node, interfaceIsServed: Bool, _ index: borrowing JSONIndex,
        _ text: Span<UInt8>, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        let name = index.range(of: node)
        if interfaceIsServed {
            var reply = try MessageWriter.beginError("org.varlink.service.MethodNotFound", &out)
            try reply.name("method", &out)
            try appendName(name, text, &out)
            try reply.end(&out)
            return
        }
        var end = name.upperBound
        while end > name.lowerBound, text[end - 1] != UInt8(ascii: ".") { end -= 1 }
        let interface = name.lowerBound..<max(name.lowerBound, end - 1)
        var reply = try MessageWriter.beginError("org.varlink.service.InterfaceNotFound", &out)
        try reply.name("interface", &out)
        try appendName(interface, text, &out)
        try reply.end(&out)
    }

    private static func appendName(
        _ range: Range<Int>, _ text: Span<UInt8>, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        var isName = range.count <= maximumName
        for position in range where isName {
            switch text[position] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
                continue
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                isName = position > range.lowerBound
            default: isName = false
            }
        }
        guard isName else {
            try out.append("\"\"")
            return
        }
        try out.appendJSONString(text.extracting(range))
    }
}
