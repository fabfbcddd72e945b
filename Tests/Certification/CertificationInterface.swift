/// What the wire of `org.varlink.certification` is, in our words.
enum CertificationInterface {
    static var name: String { "org.varlink.certification" }

    static var description: String {
        """
        # A chain of calls with which one Varlink implementation tries another: each method wants back
        # what the one before has given, and together they have every type, oneway and more.
        interface org.varlink.certification

        # One value of each kind of type.
        type MyType (
          object: object,
          enum: (one, two, three),
          struct: (first: int, second: string),
          array: []string,
          dictionary: [string]string,
          stringset: [string](),
          nullable: ?string,
          nullable_array_struct: ?[](first: int, second: string),
          interface: Interface
        )

        # Types within types.
        type Interface (
          foo: ?[]?[string](foo, bar, baz),
          anon: (foo: bool, bar: bool)
        )

        # The basic types together.
        type Basics (bool: bool, int: int, float: float, string: string)

        # Begins a chain; every later call is made with the id.
        method Start() -> (client_id: string)

        method Test01(client_id: string) -> (bool: bool)
        method Test02(client_id: string, bool: bool) -> (int: int)
        method Test03(client_id: string, int: int) -> (float: float)
        method Test04(client_id: string, float: float) -> (string: string)
        method Test05(client_id: string, string: string) -> (
          bool: bool, int: int, float: float, string: string
        )
        method Test06(client_id: string, bool: bool, int: int, float: float, string: string)
          -> (struct: Basics)
        method Test07(client_id: string, struct: Basics) -> (map: [string]string)
        method Test08(client_id: string, map: [string]string) -> (set: [string]())
        method Test09(client_id: string, set: [string]()) -> (mytype: MyType)

        # Only with more; ten replies.
        method Test10(client_id: string, mytype: MyType) -> (string: string)

        # Only as oneway; wants what all the replies to Test10 gave.
        method Test11(client_id: string, last_more_replies: []string) -> ()

        # Ends the chain.
        method End(client_id: string) -> (all_ok: bool)

        # No such chain has begun, or it has ended, or a call in it was wrong.
        error ClientIdError ()

        # The call is not the one that was due.
        error CertificationError (wants: object, got: object)

        """
    }
}
