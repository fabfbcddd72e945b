import Varlink

/// The calls in the order in which they are made.
enum Step: Int, CaseIterable {
    case start, test01, test02, test03, test04, test05, test06, test07, test08, test09, test10
    case test11, end

    /// Replies to the one call that has several.
    static let replyCount = 10

    /// The method's full name.
    var method: StaticString {
        switch self {
        case .start: "org.varlink.certification.Start"
        case .test01: "org.varlink.certification.Test01"
        case .test02: "org.varlink.certification.Test02"
        case .test03: "org.varlink.certification.Test03"
        case .test04: "org.varlink.certification.Test04"
        case .test05: "org.varlink.certification.Test05"
        case .test06: "org.varlink.certification.Test06"
        case .test07: "org.varlink.certification.Test07"
        case .test08: "org.varlink.certification.Test08"
        case .test09: "org.varlink.certification.Test09"
        case .test10: "org.varlink.certification.Test10"
        case .test11: "org.varlink.certification.Test11"
        case .end: "org.varlink.certification.End"
        }
    }

    /// How it must be called.
    var mode: CallMode {
        switch self {
        case .test10: .more
        case .test11: .oneway
        default: .plain
        }
    }

    var next: Step? { Step(rawValue: rawValue + 1) }

    /// What the call wants besides the client's id: what the one before it has given.
    var wants: StaticString {
        switch self {
        case .start, .test01, .end: "{}"
        case .test02: #"{"bool":true}"#
        case .test03: #"{"int":1}"#
        case .test04: #"{"float":1.0}"#
        case .test05: #"{"string":"ping"}"#
        case .test06:
            #"{"bool":false,"int":2,"float":3.141592653589793,"string":"a lot of string"}"#
        case .test07:
            #"""
            {"struct":{"bool":false,"int":2,"float":3.141592653589793,"string":"a lot of string"}}
            """#
        case .test08: #"{"map":{"foo":"Foo","bar":"Bar"}}"#
        case .test09: #"{"set":{"one":{},"two":{},"three":{}}}"#
        case .test10:
            #"""
            {"mytype":{
              "object":{"method":"org.varlink.certification.Test09",
                "parameters":{"map":{"foo":"Foo","bar":"Bar"}}},
              "enum":"two","struct":{"first":1,"second":"2"},"array":["one","two","three"],
              "dictionary":{"foo":"Foo","bar":"Bar"},"stringset":{"one":{},"two":{},"three":{}},
              "nullable":null,"nullable_array_struct":null,
              "interface":{"foo":[null,{"foo":"foo","bar":"bar"},null,{"one":"foo","two":"bar"}],
                "anon":{"foo":true,"bar":false}}}}
            """#
        case .test11:
            #"""
            {"last_more_replies":["Reply number 1","Reply number 2","Reply number 3",
              "Reply number 4","Reply number 5","Reply number 6","Reply number 7",
              "Reply number 8","Reply number 9","Reply number 10"]}
            """#
        }
    }

    /// What a reply gives; nil for the first, whose id is new each time.
    var gives: StaticString? {
        switch self {
        case .start: nil
        case .test11: "{}"
        case .end: #"{"all_ok":true}"#
        default: next?.wants
        }
    }
}
