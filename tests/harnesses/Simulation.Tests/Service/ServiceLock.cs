namespace Ambrosia.Simulation.Tests;

/// <summary>What a service knows of one lease: that of the log, or of a lock beside it.</summary>
internal sealed class ServiceLock
{
    private long _expires = long.MinValue;
    private long _released = long.MinValue;

    /// <summary>Grows with each acquisition, that of the log with each release, too: what asks under an older one is refused.</summary>
    public long Token { get; private set; }

    /// <summary>The last acquisition's own mark.</summary>
    public string Mark { get; private set; } = "";

    /// <summary>Who had it last; empty if nobody ever had.</summary>
    public string Holder { get; private set; } = "";

    public bool IsHeld(long now) => _expires > now;

    public TimeSpan Left(long now) => TimeSpan.FromTicks(Math.Max(0, _expires - now));

    /// <summary>Its last holder neither gave it back nor renewed it in time.</summary>
    public bool HasLapsed(long now) => _expires < now && _expires != _released;

    public void Take(string mark, string holder, long expires)
    {
        (Mark, Holder, _expires) = (mark, holder, expires);
        Token++;
    }

    /// <summary>Also when it has lapsed, as long as nobody else has taken it.</summary>
    public bool Renew(long token, long expires)
    {
        _expires = token == Token ? expires : _expires;
        return token == Token;
    }

    public void Release(long token, long now, bool isBesideLog)
    {
        if (token != Token)
        {
            return;
        }

        // What is still on its way, a renewal or a second attempt at taking it, finds another token; but who has begun a checkpoint under
        // this one finishes it.
        _released = _expires = now;
        (Token, Mark) = isBesideLog ? (Token, Mark) : (Token + 1, "");
    }
}
