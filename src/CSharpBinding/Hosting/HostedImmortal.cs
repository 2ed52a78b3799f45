using System.ComponentModel;

namespace Ambrosia.Hosting;

/// <summary>What code that hosts an immortal by itself, as a world of tests does, may ask of it. No handler needs any of this.</summary>
// Not on the class Immortal: there each name would be one that no field or handler of a user's class could have.
[EditorBrowsable(EditorBrowsableState.Never)]
public static class HostedImmortal
{
    /// <summary>The object that serves in this one's place: the state that was found may be of another class.</summary>
    /// <param name="immortal">What the host has made.</param>
    public static Immortal ActingFor(Immortal immortal)
    {
        ArgumentNullException.ThrowIfNull(immortal);
        return immortal.Acting;
    }

    /// <summary>Whether it has recovered and acts.</summary>
    /// <param name="immortal">What the host has made.</param>
    public static bool IsPrimary(Immortal immortal)
    {
        ArgumentNullException.ThrowIfNull(immortal);
        return immortal.IsPrimary;
    }

    /// <summary>
    /// Whether no effect begins or is being performed, and no schedule is due. Effects that failed may wait for their next attempt.
    /// </summary>
    /// <param name="immortal">What the host has made.</param>
    public static bool RestsOutside(Immortal immortal)
    {
        ArgumentNullException.ThrowIfNull(immortal);
        return immortal.Acting.OutsideRests;
    }
}
