package import JSON
package import SecretMemory

/// `org.varlink.service`, which every Varlink service answers: who it is, which interfaces it
/// serves, and their descriptions. varlink.org/Service
package struct ServiceInterface: Sendable {
    /// One interface that is served.
    package struct Description: Sendable {
        /// Its full name.
        package let name: String
        /// Its interface file, as it stands.
        package let text: String

        /// Makes a description.
        package init(name: String, text: String) {
            self.name = name
            self.text = text
        }
    }

    /// The name of this interface.
    package static let name = "org.varlink.service"

    private let vendor: String
    private let product: String
    private let version: String
    private let url: String
    private let interfaces: [Description]

    /// Makes the service's answers.
    ///
    /// - Parameter interfaces: all but `org.varlink.service`, which is added.
    package init(
        vendor: String, product: String, version: String, url: String, interfaces: [Description]
    ) {
        self.vendor = vendor
        self.product = product
        self.version = version
        self.url = url
        self.interfaces = [Description(name: Self.name, text: Self.ownDescription)] + interfaces
    }

    /// Whether the interface is served that a method's full name begins with, in whatever spelling
    /// JSON has for it: all before the last dot.
    package func servesInterface(
        ofMethod name: JSONIndex.Node, _ index: borrowing JSONIndex, _ text: Span<UInt8>
    ) -> Bool {
        let length = StandardError.interfaceLength(of: name, index, text)
        for interface in interfaces where interface.name.utf8.count == length {
            let wanted = Array(interface.name.utf8)
            var position = 0
            var isSame = true
            index.forEachByte(of: name, in: text) { byte in
                if position < wanted.count, byte != wanted[position] { isSame = false }
                position += 1
            }
            if isSame { return true }
        }
        return false
    }

    /// The methods of this interface.
    package enum Method: Sendable {
        case getInfo
        case getInterfaceDescription
    }

    /// Writes the reply to a call.
    ///
    /// - Returns: whether it is an answer; an error was written otherwise.
    package func answer(
        _ method: Method, _ call: Call, _ index: borrowing JSONIndex, _ text: Span<UInt8>,
        _ out: inout SecretBuffer
    ) throws(SecretMemoryError) -> Bool {
        if let unknown = unknownParameter(of: method, call, index, text) {
            try StandardError.invalidParameter(named: unknown, index, text, &out)
            return false
        }
        switch method {
        case .getInfo:
            var reply = try MessageWriter.beginReply(&out)
            try reply.field("vendor", vendor, &out)
            try reply.field("product", product, &out)
            try reply.field("version", version, &out)
            try reply.field("url", url, &out)
            try reply.field("interfaces", interfaces.map(\.name), &out)
            try reply.end(&out)
            return true
        case .getInterfaceDescription:
            guard let parameters = call.parameters,
                let wanted = index.member("interface", of: parameters, in: text),
                index.kind(of: wanted) == .string
            else {
                try StandardError.invalidParameter("interface", &out)
                return false
            }
            for interface in interfaces
            where index.string(wanted, equals: interface.name.utf8.span, in: text) {
                var reply = try MessageWriter.beginReply(&out)
                try reply.field("description", interface.text, &out)
                try reply.end(&out)
                return true
            }
            try StandardError.interfaceNotFound(wanted, index, text, &out)
            return false
        }
    }

    private func unknownParameter(
        of method: Method, _ call: Call, _ index: borrowing JSONIndex, _ text: Span<UInt8>
    ) -> JSONIndex.Node? {
        guard let parameters = call.parameters else { return nil }
        var unknown: JSONIndex.Node?
        index.forEachMember(of: parameters) { name, _ in
            let isKnown =
                method == .getInterfaceDescription
                && index.string(name, equals: "interface", in: text)
            if !isKnown, unknown == nil { unknown = name }
        }
        return unknown
    }

    /// The interface file of `org.varlink.service` itself, as varlink.org defines it.
    package static let ownDescription = """
        # What every Varlink service answers about itself
        interface org.varlink.service

        # Who the service is, and the interfaces that it serves
        method GetInfo() -> (
          vendor: string,
          product: string,
          version: string,
          url: string,
          interfaces: []string
        )

        # The description of one interface
        method GetInterfaceDescription(interface: string) -> (description: string)

        # The interface is not served here
        error InterfaceNotFound (interface: string)

        # The interface has no such method
        error MethodNotFound (method: string)

        # The method is described, but not served
        error MethodNotImplemented (method: string)

        # A parameter is missing, unknown or of another type
        error InvalidParameter (parameter: string)

        # The caller may not do this
        error PermissionDenied ()

        # The method answers only to a call with "more"
        error ExpectedMore ()

        """
}
