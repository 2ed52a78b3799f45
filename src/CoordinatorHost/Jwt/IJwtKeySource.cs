namespace Ambrosia.CoordinatorHost.Jwt;

/// <summary>Where the keys of an issuer come from.</summary>
internal interface IJwtKeySource : IDisposable
{
    /// <summary>The newest that were read; null if none were yet.</summary>
    JwtKeys? Current { get; }

    /// <summary>They were read so long ago that newer ones are to be waited for.</summary>
    bool IsOld => false;

    /// <summary>Looks for newer ones, because a token names a key that is not there. Does nothing if that was done just now.</summary>
    /// <param name="stop">Waits no longer.</param>
    Task RenewAsync(CancellationToken stop);
}
