package import SecretMemory

extension UserAccount {
    /// A second account that differs in its access token alone, such as the next generation of one
    /// whose token is kept elsewhere.
    package func copy(
        withToken accessToken: consuming SecretBytes, in arena: SecretArena
    ) throws(SecretMemoryError) -> UserAccount {
        var copy = UserAccount(
            accessToken: accessToken, uid: uid, screenName: screenName, avatarLarge: avatarLarge,
            expiry: expiry, refused: refused)
        switch refreshToken {
        case .some(let token): copy.refreshToken = try token.copy(in: arena)
        case .none: break
        }
        switch unknown {
        case .some(let kept): copy.unknown = try kept.copy(in: arena)
        case .none: break
        }
        return copy
    }
}
