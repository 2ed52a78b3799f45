namespace Ambrosia.CoordinatorHost.Jwt;

/// <summary>Why a token is not believed. But for what may pass, only the log says so: a client without a token learns nothing.</summary>
internal enum JwtRefusal
{
    /// <summary>It is believed.</summary>
    None,

    /// <summary>Nobody knows: no keys were read yet.</summary>
    NoKeys,

    /// <summary>It is no JSON Web Token, or one with more than 16 KiB, or it is encrypted.</summary>
    NotReadable,

    /// <summary>It is not signed with a public key, or demands what is not understood here (<c>crit</c>).</summary>
    Algorithm,

    /// <summary>It names a key that the issuer does not have, or one for another algorithm.</summary>
    UnknownKey,

    /// <summary>No key of the issuer has signed it.</summary>
    Signature,

    /// <summary>Another issuer.</summary>
    Issuer,

    /// <summary>It is meant for others.</summary>
    Audience,

    /// <summary>It is over, has not begun, or does not say when it ends.</summary>
    Time,

    /// <summary>It does not say who it stands for.</summary>
    Subject,

    /// <summary>The claim of methods is not there, or is no list of names.</summary>
    Methods,
}
