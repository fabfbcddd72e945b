import CExpat
package import PropertyList
package import SecretMemory

/// An XML file as a binary property list: a property list itself, or the preferences of an Android
/// app. plist(5), SharedPreferences
///
/// expat reads it, in locked memory. No entity but XML's own five and character references is taken,
/// a document type may be named but not written out, and nothing outside of the file is ever asked
/// for.
package struct XMLDocument: ~Copyable {
    /// Bytes that expat is given at a time, so that it copies little.
    private static let portion = 16_384

    /// The property list.
    package let list: SecretBuffer
    /// Whether it is an Android app's.
    package let isAndroid: Bool

    /// Reads it.
    ///
    /// - Parameters:
    ///   - limits: what the list may be.
    ///   - arena: where the list goes, and all that expat makes of the file.
    package static func read(
        _ text: Span<UInt8>, limits: PropertyListLimits = ImportLimits.graph.file,
        in arena: SecretArena
    ) throws(ImportError) -> XMLDocument {
        let builder: XMLBuilder
        do throws(PropertyListError) {
            builder = try XMLBuilder(arena: arena, limits: limits)
        } catch { throw ImportError(error, limit: limits.maximumBytes) }
        let memory = XMLMemory(arena)
        try unsafe memory.lend { suite throws(ImportError) in
            guard let parser = unsafe XML_ParserCreate_MM(nil, suite, nil) else {
                throw .memory(.exhausted)
            }
            defer { unsafe XML_ParserFree(parser) }
            let session = unsafe XMLSession(builder, parser)
            unsafe XMLHandlers.install(in: parser, for: session)
            try unsafe parse(text, with: parser, session)
        }
        return XMLDocument(list: try builder.finish(), isAndroid: builder.isAndroid)
    }

    private static func parse(
        _ text: Span<UInt8>, with parser: XML_Parser, _ session: XMLSession
    ) throws(ImportError) {
        var position = 0
        repeat {
            let end = min(text.count, position + portion)
            let part = text.extracting(position..<end)
            let status = unsafe part.withUnsafeBufferPointer { bytes in
                unsafe bytes.withMemoryRebound(to: CChar.self) { chars in
                    // SAFETY: expat reads as many bytes as there are, and keeps none of the pointer.
                    unsafe XML_Parse(
                        parser, chars.baseAddress, Int32(chars.count), end == text.count ? 1 : 0)
                }
            }
            guard status == XML_STATUS_OK else {
                if let failure = session.failure { throw failure }
                let error = unsafe XML_GetErrorCode(parser)
                throw error == XML_ERROR_NO_MEMORY ? .tooManyObjects : .malformed
            }
            position = end
        } while position < text.count
    }
}

/// What the handlers of one parser need.
@safe final class XMLSession {
    let builder: XMLBuilder
    private let parser: XML_Parser
    /// Why the file is rejected, where expat itself has no fault to find with it.
    private(set) var failure: ImportError?

    @unsafe init(_ builder: XMLBuilder, _ parser: XML_Parser) {
        self.builder = builder
        unsafe self.parser = unsafe parser
    }

    /// Ends the parsing.
    func fail(_ error: ImportError) {
        failure = error
        // SAFETY: a handler of the parser calls this, so the parser lives.
        unsafe XML_StopParser(parser, 0)
    }
}

/// The functions by which expat tells what it reads.
enum XMLHandlers {
    /// Has a parser tell the builder.
    static func install(in parser: XML_Parser, for session: XMLSession) {
        // SAFETY: the session outlives the parser's calls.
        unsafe XML_SetUserData(parser, Unmanaged.passUnretained(session).toOpaque())
        unsafe XML_SetElementHandler(
            parser,
            { argument, name, attributes in
                unsafe XMLHandlers.tell(argument) { builder throws(ImportError) in
                    unsafe try builder.start(XMLName(name), XMLAttributes(attributes))
                }
            },
            { argument, _ in
                unsafe XMLHandlers.tell(argument) { builder throws(ImportError) in
                    try builder.end()
                }
            })
        unsafe XML_SetCharacterDataHandler(parser) { argument, text, count in
            unsafe XMLHandlers.tell(argument) { builder throws(ImportError) in
                let bytes = unsafe UnsafeRawBufferPointer(start: text, count: Int(count))
                try builder.append(unsafe Span<UInt8>(_unsafeBytes: bytes))
            }
        }
        unsafe XML_SetStartDoctypeDeclHandler(parser) { argument, _, _, _, hasSubset in
            guard hasSubset != 0 else { return }
            unsafe XMLHandlers.tell(argument) { _ throws(ImportError) in throw .malformed }
        }
        unsafe XML_SetSkippedEntityHandler(parser) { argument, _, _ in
            unsafe XMLHandlers.tell(argument) { _ throws(ImportError) in throw .malformed }
        }
        unsafe XML_SetExternalEntityRefHandler(parser) { _, _, _, _, _ in 0 }
    }

    // The first failure ends the parsing.
    private static func tell(
        _ argument: UnsafeMutableRawPointer?,
        _ body: (XMLBuilder) throws(ImportError) -> Void
    ) {
        guard let argument = unsafe argument else { return }
        // SAFETY: `install` has put it there, and it lives.
        let session = unsafe Unmanaged<XMLSession>.fromOpaque(argument).takeUnretainedValue()
        guard session.failure == nil else { return }
        do throws(ImportError) {
            try body(session.builder)
        } catch { session.fail(error) }
    }
}
