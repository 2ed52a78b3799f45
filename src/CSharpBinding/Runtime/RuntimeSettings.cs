using Ambrosia.Serialization;
using Ambrosia.Telemetry;

namespace Ambrosia.Runtime;

/// <summary>What the runtime of an immortal is given by its host.</summary>
internal record RuntimeSettings : OutsideSettings
{
    /// <summary>What happens when a fork or an impulse fails.</summary>
    public FaultPolicy OnFault { get; init; }

    /// <summary>What writes and reads values of types that MessagePack-CSharp knows.</summary>
    public MessagePackLibrary Library { get; init; } = MessagePackLibrary.Default;

    /// <summary>Services of the app's host.</summary>
    public IServiceProvider? Services { get; init; }

    /// <summary>Whether the state is compared before and behind each query; null: if the immortal was built for debugging.</summary>
    public bool? CheckQueries { get; init; }

    /// <summary>Differences between builds that are accepted: their hash, <c>any</c>, or "" for none.</summary>
    public string Accept { get; init; } = "";

    /// <summary>Whether messages may be executed again by other code: while somebody edits it.</summary>
    public bool AcceptsOtherCode { get; init; }

    /// <summary>Takes what the immortal does.</summary>
    public ServingMonitor Monitor { get; init; } = new();

    /// <summary>Share of calls that is traced, if anybody listens.</summary>
    public double TraceRatio { get; init; } = 1;

    /// <summary>Bytes of one page of outputs.</summary>
    public int PageSize { get; init; } = 256 * 1024;

    /// <summary>Bytes handed to the transport and not yet taken, above which no further message is handled.</summary>
    public long MaxQueuedBytes { get; init; } = 8 * 1024 * 1024;
}
