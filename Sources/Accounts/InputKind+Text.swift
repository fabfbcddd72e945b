extension InputKind {
    /// What was given, as the rest of "the input is not JSON but …".
    var description: String {
        switch self {
        case .gzip: "compressed with gzip"
        case .zlib: "compressed with deflate"
        case .zip: "a zip archive"
        case .zstd: "compressed with zstd"
        case .sqlite: "an SQLite database"
        case .sealedFile: "a sealed file of this program"
        case .binaryPropertyList: "a binary property list"
        case .keyedArchive: "an archive that an iOS app wrote"
        case .typedStream: "an old NSArchiver archive"
        case .pem: "a PEM file, a key or a certificate"
        case .html: "a web page"
        case .xml: "XML"
        case .xmlPropertyList: "an XML property list"
        case .androidPreferences: "the preferences file of an Android app"
        case .httpTranscript: "a whole HTTP answer with its headers"
        case .jsonp: "a JavaScript call around a response"
        case .quoted: "a response within quotation marks"
        case .openStepPropertyList: "a dictionary as NSLog prints it"
        case .pythonDictionary: "a dictionary as Python prints it"
        case .rubyHash: "a hash as Ruby or PHP prints it"
        case .javaMap: "a map or bundle as Java prints it"
        case .javaScriptObject: "a JavaScript object, its names without quotation marks"
        case .swiftDictionary: "a dictionary as Swift prints it"
        case .base64: "a text in base64"
        case .percentEncoded: "a percent-encoded text"
        case .bareToken: "one word, perhaps a token alone"
        case .authorizationCode:
            "an answer with an authorization code, from which a token is yet to be had"
        case .form: "a form's fields"
        case .fragment: "an address"
        case .binary: "a binary file"
        case .other: "some other text"
        }
    }

    /// What to give instead.
    var hint: String {
        switch self {
        case .gzip: "unpack it first, with gunzip, or let curl do it with --compressed"
        case .zlib, .zstd: "unpack it first, or let curl do it with --compressed"
        case .zip: "unpack it first"
        case .sqlite, .binary, .xml, .pem, .typedStream, .other:
            "give the body of Weibo's answer, a JSON object from its first { to its last }"
        case .sealedFile: "it is opened by accountd alone; point --state at its directory"
        case .binaryPropertyList, .keyedArchive, .xmlPropertyList, .androidPreferences:
            "what an app has saved is stored with account import FILE"
        case .html:
            "the address asked was not Weibo's interface, or Weibo showed an error page: ask again"
        case .httpTranscript: "ask without -i and -v, or give the body alone, from { to }"
        case .jsonp: "give what stands between the brackets, from { to }"
        case .quoted: "leave the quotation marks out"
        case .openStepPropertyList, .pythonDictionary, .rubyHash, .javaMap, .javaScriptObject,
            .swiftDictionary:
            "give the text as Weibo sent it, not as the program prints it"
        case .base64: "decode it first, with base64 -d"
        case .percentEncoded: "decode it first"
        case .bareToken:
            "a token alone does not say whose it is and how long it lives: give the whole response"
        case .authorizationCode:
            "exchange the code at Weibo's oauth2/access_token, and give what that answers"
        case .form, .fragment:
            "give its values as a JSON object with access_token, expires_in and uid"
        }
    }
}
