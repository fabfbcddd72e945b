import JSON
package import SecretMemory

/// Writes one call, reply or error, field by field, into secret memory.
///
/// The order of calls is the order of the text: a `begin…`, the fields, `end`. Several messages may
/// follow each other in one buffer. One that does not fit leaves the buffer in a state that must not
/// be sent; the caller empties it.
package struct MessageWriter: ~Copyable {
    private var isFirst = true

    private init() {}

    /// Begins a call; the fields are its parameters.
    ///
    /// - Parameters:
    ///   - method: the full name, interface included; needs no escapes.
    ///   - mode: what the caller wants back.
    package static func beginCall(
        _ method: StaticString, mode: CallMode = .plain, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) -> MessageWriter {
        try out.append("{\"method\":\"")
        try out.append(method)
        switch mode {
        case .plain: try out.append("\",\"parameters\":{")
        case .oneway: try out.append("\",\"oneway\":true,\"parameters\":{")
        case .more: try out.append("\",\"more\":true,\"parameters\":{")
        case .upgrade: try out.append("\",\"upgrade\":true,\"parameters\":{")
        }
        return MessageWriter()
    }

    /// Begins a successful reply.
    ///
    /// - Parameter continues: whether another reply to the same call follows; only a call with `more`
    ///   may be answered so.
    package static func beginReply(
        continues: Bool = false, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) -> MessageWriter {
        try out.append(continues ? "{\"continues\":true,\"parameters\":{" : "{\"parameters\":{")
        return MessageWriter()
    }

    /// Begins an error.
    ///
    /// - Parameter name: the error's full name, interface included; needs no escapes.
    package static func beginError(
        _ name: StaticString, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) -> MessageWriter {
        try out.append("{\"error\":\"")
        try out.append(name)
        try out.append("\",\"parameters\":{")
        return MessageWriter()
    }

    /// Ends the message with its terminator.
    package consuming func end(_ out: inout SecretBuffer) throws(SecretMemoryError) {
        try out.append("}}")
        try out.append(MessageFraming.terminator)
    }

    /// Writes the name of a field; its value must follow.
    package mutating func name(
        _ name: StaticString, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        if !isFirst { try out.append(UInt8(ascii: ",")) }
        isFirst = false
        try out.append(UInt8(ascii: "\""))
        try out.append(name)
        try out.append("\":")
    }

    /// Writes a field that is a text.
    package mutating func field(
        _ name: StaticString, _ value: String, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        try self.name(name, &out)
        try out.appendJSONString(value)
    }

    /// Writes a field that is a text, or leaves it out.
    package mutating func field(
        _ name: StaticString, optional value: String?, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        if let value { try field(name, value, &out) }
    }

    /// Writes a field that is a text in secret memory.
    package mutating func field(
        _ name: StaticString, secret value: borrowing SecretBytes, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        try self.name(name, &out)
        try value.withBytes { bytes throws(SecretMemoryError) in try out.appendJSONString(bytes) }
    }

    /// Writes a field that is a text: the lower-case hexadecimal digits of bytes in secret memory.
    package mutating func field(
        _ name: StaticString, hexadecimal value: borrowing SecretBytes, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        try self.name(name, &out)
        try value.withBytes { bytes throws(SecretMemoryError) in
            try out.appendJSONHexadecimal(bytes)
        }
    }

    /// Writes a field that is a whole number.
    package mutating func field(
        _ name: StaticString, _ value: Int64, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        try self.name(name, &out)
        try out.appendJSON(value)
    }

    /// Writes a field that is a whole number, or leaves it out.
    package mutating func field(
        _ name: StaticString, optional value: Int64?, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        if let value { try field(name, value, &out) }
    }

    /// Writes a field that is true or false.
    package mutating func field(
        _ name: StaticString, _ value: Bool, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        try self.name(name, &out)
        try out.appendJSON(value)
    }

    /// Writes a field that is a number with a fraction.
    ///
    /// - Parameter value: finite; JSON has no other numbers.
    package mutating func field(
        _ name: StaticString, float value: Double, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        try self.name(name, &out)
        try out.appendJSON(float: value)
    }

    /// Writes a field that is a list of texts.
    package mutating func field(
        _ name: StaticString, _ values: [String], _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        try self.name(name, &out)
        try out.append(UInt8(ascii: "["))
        for (position, value) in values.enumerated() {
            if position > 0 { try out.append(UInt8(ascii: ",")) }
            try out.appendJSONString(value)
        }
        try out.append(UInt8(ascii: "]"))
    }

    /// Opens a field that is an object; fields follow until `closeObject`.
    package mutating func openObject(
        _ name: StaticString, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        try self.name(name, &out)
        try out.append(UInt8(ascii: "{"))
        isFirst = true
    }

    /// Opens an element of a list that is an object; fields follow until `closeObject`.
    package mutating func openObject(_ out: inout SecretBuffer) throws(SecretMemoryError) {
        try element(&out)
        try out.append(UInt8(ascii: "{"))
        isFirst = true
    }

    /// Closes the object that was opened last.
    package mutating func closeObject(_ out: inout SecretBuffer) throws(SecretMemoryError) {
        try out.append(UInt8(ascii: "}"))
        isFirst = false
    }

    /// Opens a field that is a list; elements follow until `closeList`.
    package mutating func openList(
        _ name: StaticString, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        try self.name(name, &out)
        try out.append(UInt8(ascii: "["))
        isFirst = true
    }

    /// Begins an element of a list; its value must follow.
    package mutating func element(_ out: inout SecretBuffer) throws(SecretMemoryError) {
        if !isFirst { try out.append(UInt8(ascii: ",")) }
        isFirst = false
    }

    /// Closes the list that was opened last.
    package mutating func closeList(_ out: inout SecretBuffer) throws(SecretMemoryError) {
        try out.append(UInt8(ascii: "]"))
        isFirst = false
    }
}
