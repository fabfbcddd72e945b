import JSON
package import SecretMemory

/// Writes one call, field by field, into secret memory.
///
/// The counterpart of `ReplyWriter`: a `begin`, the parameters, `end`. Several calls may follow each
/// other in one buffer; they are answered in their order. A call that does not fit leaves the buffer
/// in a state that must not be sent; the caller empties it. varlink.org, "Method Call"
package struct ClientCallWriter: ~Copyable {
    private var isFirst = true

    private init() {}

    /// Begins a call.
    ///
    /// - Parameter method: the full name, interface included; needs no escapes.
    package static func begin(
        _ method: StaticString, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) -> ClientCallWriter {
        try out.append("{\"method\":\"")
        try out.append(method)
        try out.append("\",\"parameters\":{")
        return ClientCallWriter()
    }

    /// Ends the call with its terminator.
    package consuming func end(_ out: inout SecretBuffer) throws(SecretMemoryError) {
        try out.append("}}")
        try out.append(MessageFraming.terminator)
    }

    /// Writes a parameter that is a text, or leaves it out.
    package mutating func parameter(
        _ name: StaticString, _ value: String?, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        guard let value else { return }
        try self.name(name, &out)
        try out.appendJSONString(value)
    }

    /// Writes a parameter that is a text in secret memory.
    package mutating func parameter(
        _ name: StaticString, secret value: borrowing SecretBytes, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        try self.name(name, &out)
        try value.withBytes { bytes throws(SecretMemoryError) in try out.appendJSONString(bytes) }
    }

    /// Writes a parameter that is a whole number, or leaves it out.
    package mutating func parameter(
        _ name: StaticString, _ value: Int64?, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        guard let value else { return }
        try self.name(name, &out)
        try out.appendJSON(value)
    }

    /// Writes a parameter that is true or false.
    package mutating func parameter(
        _ name: StaticString, _ value: Bool, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        try self.name(name, &out)
        try out.appendJSON(value)
    }

    private mutating func name(
        _ name: StaticString, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        if !isFirst { try out.append(UInt8(ascii: ",")) }
        isFirst = false
        try out.append(UInt8(ascii: "\""))
        try out.append(name)
        try out.append("\":")
    }
}
