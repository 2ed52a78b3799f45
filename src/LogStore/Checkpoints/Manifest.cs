using Ambrosia.LogStore.Format;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Microsoft.Extensions.Logging;

namespace Ambrosia.LogStore.Checkpoints;

/// <summary>
/// Two copies written in turn: a crash while one is written leaves the other. Both unusable: the folder itself tells what is there.
/// </summary>
internal sealed class Manifest(ILogStorage storage, ILogger logger)
{
    private const int Copies = 2;

    // Once each: a reader that follows a live log loads them again and again.
    private readonly bool[] _reported = new bool[Copies];

    /// <summary>The newest intact content; null before the first checkpoint, or when both copies are unusable.</summary>
    public ManifestContent? Current { get; private set; }

    /// <summary>Whether a copy exists although none can be used.</summary>
    public bool IsDamaged { get; private set; }

    /// <summary>Reads both copies. One of another log says nothing about this one.</summary>
    public async ValueTask LoadAsync(InstanceId log)
    {
        (Current, IsDamaged) = (null, false);
        bool found = false;
        for (int copy = 0; copy < Copies; copy++)
        {
            byte[]? bytes = await storage.ReadManifestAsync(copy);
            found |= bytes is not null;
            string file = $"{storage.Location}/manifest.{copy}";
            ManifestContent? content = bytes is null ? null : ManifestContent.TryRead(bytes, file);
            content = content is not null && log != InstanceId.None && content.InstanceId != log ? null : content;
            if (bytes is not null && content is null && !_reported[copy])
            {
                _reported[copy] = true;
                // Copies are replaced as a whole, so no crash leaves one like this: the device, or a person, has changed it.
                LogStoreLog.ManifestCopyUnusable(logger, file);
            }

            if (content is not null && (Current is null || content.Generation > Current.Generation))
            {
                Current = content;
            }
        }

        IsDamaged = found && Current is null;
    }

    /// <summary>Replaces the older copy.</summary>
    public async ValueTask SaveAsync(ManifestContent content)
    {
        ManifestContent next = content with { Generation = (Current?.Generation ?? 0) + 1 };
        await storage.WriteManifestAsync((int)(next.Generation % Copies), next.ToBytes());
        (Current, IsDamaged) = (next, false);
    }
}
