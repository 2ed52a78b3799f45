namespace Ambrosia.LogStore.Errors;

/// <summary>
/// A store holds less of a file than it had confirmed to this very process: it was restarted without it, or set back to an older copy.
/// </summary>
public sealed class StoreForgotException(string name, long? held, long confirmed)
    : LogStoreException(StoreErrors.StoreForgot, held is { } length
            ? $"the store has forgotten what it had confirmed: it holds {length} bytes of {confirmed}"
            : "the store has forgotten what it had confirmed: it is not there", name, Safe, Advice)
{
    /// <summary>What is left, for messages.</summary>
    public const string Safe = "what is left was not changed, and nothing was acknowledged since";

    /// <summary>What to do, for messages.</summary>
    public const string Advice =
        "do not start again, it would go on without them: restore the store as it was last, or a copy of all instances of one instant; "
        + "ambrosia log verify tells what peers know";
}
