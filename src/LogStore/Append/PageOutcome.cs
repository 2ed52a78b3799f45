namespace Ambrosia.LogStore.Append;

/// <summary>Answer of a page to a writer that wants room.</summary>
internal enum PageOutcome
{
    /// <summary>The room is the writer's until it publishes.</summary>
    Reserved,

    /// <summary>Too little room is left: the page must be sealed.</summary>
    Full,

    /// <summary>The page takes nothing any more.</summary>
    Sealed,
}
