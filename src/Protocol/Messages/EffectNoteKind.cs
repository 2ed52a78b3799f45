namespace Ambrosia.Protocol;

/// <summary>What a note about effects says, an impulse of <see cref="ReservedMethods.EffectNote"/>: its first byte.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public enum EffectNoteKind : byte
{
    /// <summary>A process acts from here on, and begins what is pending.</summary>
    LifeBegins = 0,

    /// <summary>It stopped by itself: none of its effects ended it.</summary>
    LifeEnds = 1,

    /// <summary>An attempt begins that may end its process.</summary>
    Marked = 2,

    /// <summary>It ended without that, and without an outcome.</summary>
    Cleared = 3,

    /// <summary>A person wants an effect performed that was held.</summary>
    Run = 4,

    /// <summary>A person gives an effect up.</summary>
    GivenUp = 5,
}
