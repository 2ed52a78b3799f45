using Ambrosia.Coordinator.Settings;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Format;
using Ambrosia.LogStore.Settings;

namespace Ambrosia.Coordinator.Recovery;

/// <summary>The log's share of a coordinator's options.</summary>
public static class LogSizes
{
    public static LogStoreOptions Of(InstanceSettings options) => new()
    {
        Cluster = options.Cluster,
        SegmentSize = options.SegmentSize,
        PageSize = options.PageSize,
        MaxRecordSize = RecordHeader.LargestBody, // What a replay sends to its own instance may be larger than what may be sent today.
        Retention = options.Retain.Kind switch
        {
            RetainKind.Count => RetentionPolicy.Checkpoints((int)options.Retain.Value),
            RetainKind.Size => RetentionPolicy.Bytes(options.Retain.Value),
            _ => RetentionPolicy.All,
        },
        Replica = options.ReplicaId,
        LeaseDuration = options.LeaseDuration,
        AllowNetworkFileSystem = options.AllowNetworkFilesystem,
    };
}
