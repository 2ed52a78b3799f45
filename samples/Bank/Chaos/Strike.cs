namespace Bank;

/// <summary>Kinds of blows.</summary>
internal enum Strike
{
    /// <summary>The app of one immortal; its coordinator stays, and the next app attaches to it.</summary>
    App,

    /// <summary>The coordinator of one immortal; its app follows within a second.</summary>
    Coordinator,

    /// <summary>Both processes of one immortal.</summary>
    Pair,

    /// <summary>Both processes of two immortals that talk to each other.</summary>
    TwoPairs,

    /// <summary>All ten processes.</summary>
    Everything,
}
