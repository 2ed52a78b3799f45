namespace Ambrosia.LogStore.Errors;

/// <summary>A store that is a service did not answer, however often it was asked.</summary>
public sealed class StoreUnavailableException(string what, string where, Exception? inner = null)
    : LogStoreException(StoreErrors.StoreSilent, what, where, "everything acknowledged so far is durable",
        "see whether the service runs and can be reached from here, then start again", inner);
