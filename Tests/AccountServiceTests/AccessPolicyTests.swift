import AccountService
import Testing

@Suite struct AccessPolicyTests {
    struct Case: Sendable {
        var own: UInt32 = 1000
        var readers: UInt32?
        var observers: UInt32?
        let uid: UInt32
        var groups: [UInt32] = []
        let role: Role
    }

    static let cases: [Case] = [
        Case(uid: 1000, role: .owner), Case(uid: 0, role: .owner), Case(uid: 1001, role: .stranger),
        Case(uid: 65_534, role: .stranger), Case(own: 65_534, uid: 65_534, role: .stranger),
        Case(own: 65_534, uid: 0, role: .owner), Case(own: 0, uid: 0, role: .owner),
        Case(own: 0, uid: 1000, role: .stranger),
        // Membership.
        Case(readers: 50, uid: 1001, groups: [50], role: .reader),
        Case(readers: 50, uid: 1001, groups: [1001, 7, 50], role: .reader),
        Case(readers: 50, uid: 1001, groups: [51], role: .stranger),
        Case(readers: 50, uid: 1001, groups: [], role: .stranger),
        Case(observers: 60, uid: 1001, groups: [60], role: .observer),
        Case(readers: 50, observers: 60, uid: 1001, groups: [60], role: .observer),
        Case(readers: 50, observers: 60, uid: 1001, groups: [60, 50], role: .reader),
        Case(readers: 50, observers: 50, uid: 1001, groups: [50], role: .reader),
        Case(readers: 50, uid: 1000, groups: [], role: .owner),
        Case(observers: 60, uid: 0, groups: [60], role: .owner),
        Case(readers: 0, uid: 1001, groups: [0], role: .reader),
        // The overflow ids stand for anybody.
        Case(readers: 65_534, uid: 1001, groups: [65_534], role: .stranger),
        Case(observers: 65_534, uid: 1001, groups: [65_534], role: .stranger),
        Case(readers: 50, uid: 65_534, groups: [50], role: .stranger),
        Case(observers: 60, uid: 65_534, groups: [60, 65_534], role: .stranger),
        Case(readers: 50, uid: 1001, groups: [65_534, 50], role: .reader),
    ]

    @Test("a role follows from uid and groups", arguments: cases)
    func role(one: Case) {
        let policy = AccessPolicy(
            ownUID: one.own, readers: one.readers, observers: one.observers)
        #expect(policy.role(uid: one.uid, groups: one.groups) == one.role)
        #expect(policy.isOwner(uid: one.uid) == (one.role == .owner))
    }

    static let ownUsers: [(own: UInt32, uid: UInt32, isOwn: Bool)] = [
        (1000, 1000, true), (1000, 0, false), (1000, 1001, false), (0, 0, true), (0, 1000, false),
        (65_534, 65_534, false), (65_534, 0, false),
    ]

    @Test("the daemon's own user is nobody else, not even root", arguments: ownUsers)
    func ownUser(own: UInt32, uid: UInt32, isOwn: Bool) {
        #expect(AccessPolicy(ownUID: own).isOwnUser(uid: uid) == isOwn)
    }

    @Test("groups are asked for where they can matter")
    func groups() {
        #expect(!AccessPolicy(ownUID: 1).usesGroups)
        #expect(!AccessPolicy(ownUID: 1, readers: 65_534, observers: 65_534).usesGroups)
        #expect(AccessPolicy(ownUID: 1, readers: 5).usesGroups)
        #expect(AccessPolicy(ownUID: 1, observers: 5).usesGroups)
    }

    @Test("roles include those below them")
    func order() {
        #expect(Role.stranger < .observer)
        #expect(Role.observer < .reader)
        #expect(Role.reader < .owner)
        #expect(
            [Role.stranger, .observer, .reader, .owner].map(\.name)
                == ["stranger", "observer", "reader", "owner"])
    }

    @Test("verdicts have names of their own")
    func verdicts() {
        #expect(Set(Verdict.allCases.map(\.name)).count == Verdict.allCases.count)
        #expect(
            Verdict.allCases.allSatisfy { verdict in
                verdict.name.utf8.allSatisfy { (97...122).contains($0) || $0 == 45 }
            })
    }
}
