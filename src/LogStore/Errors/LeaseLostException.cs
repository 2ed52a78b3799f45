namespace Ambrosia.LogStore.Errors;

/// <summary>The right to append belongs to somebody else now, or can no longer be proved.</summary>
public sealed class LeaseLostException(
    ErrorCode error, string what, string where, Exception? inner = null,
    string advice = "this process must stop; the holder of the lease serves")
    : LogStoreException(error, what, where, "everything acknowledged so far is durable", advice, inner);
