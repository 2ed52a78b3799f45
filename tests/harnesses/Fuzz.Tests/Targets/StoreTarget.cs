using Ambrosia.Fuzz.Tests.Engine;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Errors;

namespace Ambrosia.Fuzz.Tests.Targets;

/// <summary>A parser of bytes on disk: it refuses with a code, or by saying that it found nothing.</summary>
internal abstract class StoreTarget : FuzzTarget
{
    /// <summary>What bytes count as of which the parser only says that they are damaged.</summary>
    protected const string Damaged = "damaged";

    public override string? ReasonOf(Exception error) =>
        error is LogStoreException stopped ? stopped.Message[..stopped.Message.IndexOf(" | ", StringComparison.Ordinal)]
        : base.ReasonOf(error);
}
