namespace Ambrosia.LogStore.Errors;

/// <summary>The right to append belongs to somebody else now, or can no longer be proved.</summary>
public sealed class LeaseLostException(
    string code, string what, string where, Exception? inner = null, string advice = "this process must stop; the holder of the lease serves")
    : LogStoreException(code, LogExitCode.LeaseLost, what, where, "everything acknowledged so far is durable", advice, inner);
