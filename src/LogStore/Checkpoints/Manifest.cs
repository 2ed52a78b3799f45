using Ambrosia.LogStore.Storage;

namespace Ambrosia.LogStore;

/// <summary>Two copies written in turn: a crash while one is written leaves the other. Both unusable: the folder itself tells what is there.</summary>
internal sealed class Manifest(ILogStorage storage)
{
    private const int Copies = 2;

    /// <summary>The newest intact content; null before the first checkpoint, or when both copies are unusable.</summary>
    public ManifestContent? Current { get; private set; }

    /// <summary>Whether a copy exists although none can be used.</summary>
    public bool IsDamaged { get; private set; }

    public async ValueTask LoadAsync()
    {
        (Current, IsDamaged) = (null, false);
        bool found = false;
        for (int copy = 0; copy < Copies; copy++)
        {
            byte[]? bytes = await storage.ReadManifestAsync(copy);
            found |= bytes is not null;
            ManifestContent? content = bytes is null ? null : ManifestContent.TryRead(bytes, $"{storage.Location}/manifest.{copy}");
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
