namespace Ambrosia.EndToEnd.Tests.Driving;

/// <summary>What a client knows of its request.</summary>
internal enum Outcome
{
    /// <summary>No answer yet.</summary>
    Waiting,

    /// <summary>Answered: it must have happened, once.</summary>
    Answered,

    /// <summary>The app died first: it happened once, or not at all.</summary>
    Unknown,
}
