using System.Collections.Concurrent;
using System.Globalization;
using System.Text;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Format;
using Ambrosia.LogStore.Settings;

namespace Ambrosia.LogStore.Storage.Local;

/// <summary>One folder per instance: <c>lock</c>, <c>manifest.0|1</c>, <c>log/</c>, <c>checkpoints/</c>, <c>scratch/</c>.</summary>
public sealed class LocalLogStorage : ILogStorage
{
    private const int MaxManifestSize = 1 << 20;
    private readonly IFileSystem _files;
    private readonly LogStoreOptions _options;
    // Unfinished files of this process, which its other loops must leave alone.
    private readonly ConcurrentDictionary<string, bool> _begun = new();
    private readonly string _folder;
    private readonly string _checkpoints;
    private readonly LocalSegments _segments;

    /// <summary>The storage of one instance below a store's root folder. Nothing is touched yet.</summary>
    public LocalLogStorage(IFileSystem files, string root, string instance, LogStoreOptions options)
        : this(files, options, Path.Combine(root, InstanceName.Validate(instance)), instance)
    {
    }

    private LocalLogStorage(IFileSystem files, LogStoreOptions options, string folder, string instance)
    {
        (_files, _options, Instance, _folder) = (files, options, instance, folder);
        _checkpoints = Path.Combine(_folder, "checkpoints");
        _segments = new LocalSegments(files, Path.Combine(_folder, "log"), options);
    }

    /// <summary>The storage in this very folder, whatever its name: a copy or a backup. Nothing is touched yet.</summary>
    public static LocalLogStorage InFolder(IFileSystem files, string folder, string instance, LogStoreOptions options) =>
        new(files, options, folder, InstanceName.Validate(instance));

    public string Instance { get; }

    public string Location => _folder;

    public bool IsNear => true;

    public string Place => InMemory ? "memory, of which nothing is left when this process ends" : Location;

    /// <summary>Whether it ends with this process.</summary>
    internal bool InMemory { get; init; }

    /// <summary>What its locks say of their holder. Default: this process.</summary>
    internal string Holder { get; init; } = ProcessIdentity.Current;

    /// <summary>Folder for files that die with the process; emptied at every start.</summary>
    public string ScratchFolder => Path.Combine(_folder, "scratch");

    public async ValueTask PrepareAsync()
    {
        foreach (string name in new[] { "log", "checkpoints", "scratch" })
        {
            await _files.CreateFolderAsync(Path.Combine(_folder, name));
        }

        VolumeStatus volume = await _files.VolumeAsync(_folder);
        if (volume.IsNetwork && !_options.AllowNetworkFileSystem)
        {
            throw new LogStoreException(StoreErrors.NetworkFileSystem,
                $"the store lies on a network file system ({volume.Type}), where locks and syncs may not hold", _folder,
                "nothing was written to the log", "use a local disk or another store, or allow it with --allow-network-filesystem");
        }
    }

    public async ValueTask<ILogLease?> AcquireLeaseAsync(bool wait, CancellationToken cancellationToken) =>
        await LocalLease.AcquireAsync(_files, LockFile, Holder, wait, cancellationToken);

    public async ValueTask<ILogLease?> AcquireNamedLeaseAsync(string name, bool wait, CancellationToken cancellationToken) =>
        await LocalLease.AcquireAsync(_files, Path.Combine(_folder, name), Holder, wait, cancellationToken);

    public ValueTask<string?> ReadHolderAsync() => ReadTextAsync(LockFile);

    public ValueTask<string?> ReadBeatAsync() => ReadTextAsync(LockFile + LocalLease.BeatSuffix);

    public ValueTask<bool> IsHeldAsync() => IsHeldAsync(LockFile);

    public async ValueTask<string?> ReadSideHolderAsync(string name) =>
        await IsHeldAsync(Path.Combine(_folder, name)) ? await ReadTextAsync(Path.Combine(_folder, name)) ?? "" : null;

    public ValueTask<IReadOnlyList<ulong>> ListSegmentsAsync() => _segments.ListAsync();

    public ValueTask<IStoredFile?> OpenSegmentAsync(ulong number, bool writable) => _segments.OpenAsync(number, writable);

    public ValueTask<IStoredFile?> CreateSegmentAsync(ulong number, ReadOnlyMemory<byte> header) => _segments.CreateAsync(number, header);

    public ValueTask DeleteSegmentAsync(ulong number) => _segments.DeleteAsync(number);

    public ValueTask<bool> KeepTailAsync(ulong number, ReadOnlyMemory<byte> tail) => _segments.KeepTailAsync(number, tail);

    public ValueTask<bool> PrepareSpaceAsync() => _segments.PrepareSpareAsync();

    public async ValueTask<IReadOnlyList<Lsn>> ListCheckpointsAsync()
    {
        var found = new List<Lsn>();
        foreach (string name in await _files.ListAsync(_checkpoints))
        {
            if (StoreNames.TryParseCheckpoint(name, out Lsn lsn))
            {
                found.Add(lsn);
            }
        }

        found.Sort(static (left, right) => right.CompareTo(left));
        return found;
    }

    public async ValueTask<IStoredFile> CreateCheckpointAsync(Lsn lsn)
    {
        // A checkpointer that dies while it writes, and comes again, would leave them behind until somebody takes the primary's place.
        await RemoveUnfinishedAsync(ofOthers: false);
        await _files.DeleteAsync(TemporaryOf(lsn));
        _begun[TemporaryOf(lsn)] = true;
        return new LocalStoredFile(_files, await _files.OpenAsync(TemporaryOf(lsn), FileOpening.CreateNew));
    }

    public async ValueTask CommitCheckpointAsync(Lsn lsn)
    {
        await _files.RenameAsync(TemporaryOf(lsn), CheckpointOf(lsn));
        await _files.SyncFolderAsync(_checkpoints);
        _begun.TryRemove(TemporaryOf(lsn), out _);
    }

    public async ValueTask AbandonCheckpointAsync(Lsn lsn)
    {
        _begun.TryRemove(TemporaryOf(lsn), out _);
        await _files.DeleteAsync(TemporaryOf(lsn));
    }

    public async ValueTask<IStoredFile?> OpenCheckpointAsync(Lsn lsn)
    {
        try
        {
            return new LocalStoredFile(_files, await _files.OpenAsync(CheckpointOf(lsn), FileOpening.Read));
        }
        catch (FileFailedException error) when (error.Error == Errno.ENOENT)
        {
            return null;
        }
    }

    public async ValueTask DeleteCheckpointAsync(Lsn lsn)
    {
        await _files.DeleteLongAsync(CheckpointOf(lsn));
        await _files.SyncFolderAsync(_checkpoints);
    }

    public ValueTask<byte[]?> ReadManifestAsync(int copy) => FileReplacement.ReadAsync(_files, ManifestOf(copy), MaxManifestSize);

    public ValueTask WriteManifestAsync(int copy, ReadOnlyMemory<byte> content) =>
        FileReplacement.WriteAsync(_files, ManifestOf(copy), content);

    public async ValueTask RemoveLeftoversAsync()
    {
        await _segments.RemoveLeftoversAsync();
        await RemoveUnfinishedAsync(ofOthers: true);
        foreach (string name in await _files.ListAsync(ScratchFolder))
        {
            await _files.DeleteAsync(Path.Combine(ScratchFolder, name));
        }

        // A predecessor killed between a rename and its folder's sync leaves a name that is visible and not durable. Nobody may rely on
        // such a name: a checkpoint seen now could be gone after a power cut, when the log is built on it.
        await _files.SyncFolderAsync(_checkpoints);
        await _files.SyncFolderAsync(_folder);
    }

    public async ValueTask<long> GetFreeBytesAsync() => (await _files.VolumeAsync(_folder)).FreeBytes;

    public ValueTask DisposeAsync() => default;

    /// <summary>A living process goes on with what it has begun, even if it or another one becomes the primary meanwhile.</summary>
    private async ValueTask RemoveUnfinishedAsync(bool ofOthers)
    {
        foreach (string name in await _files.ListAsync(_checkpoints))
        {
            string path = Path.Combine(_checkpoints, name);
            bool goes = name.EndsWith(StoreNames.TemporarySuffix, StringComparison.Ordinal)
                && (name.EndsWith(OwnSuffix, StringComparison.Ordinal) ? !_begun.ContainsKey(path)
                : ofOthers && !await IsReplicaAtWorkAsync(name));
            if (goes)
            {
                await _files.DeleteAsync(path);
            }
        }
    }

    private async ValueTask<bool> IsReplicaAtWorkAsync(string temporary)
    {
        string number = Path.GetExtension(temporary[..^StoreNames.TemporarySuffix.Length]).TrimStart('.');
        return int.TryParse(number, NumberStyles.None, CultureInfo.InvariantCulture, out int replica)
            && await IsHeldAsync(Path.Combine(_folder, NamedLeases.Replica(replica)));
    }

    // The name is that of the content, so versions stand beside each other, and none is written over.
    public async ValueTask KeepContractAsync(ReadOnlyMemory<byte> text)
    {
        string folder = Path.Combine(_folder, StoreNames.Contracts);
        string path = Path.Combine(folder, StoreNames.Contract(text.Span));
        if (await _files.StatAsync(path) is { } present && present.Length == text.Length)
        {
            return;
        }

        await _files.CreateFolderAsync(folder);
        await FileReplacement.WriteAsync(_files, path, text);
    }

    // A coordinator that starts in the instant of the attempt waits for it and gets the lock. (.NET's own file streams take locks too and
    // would fail here.)
    private async ValueTask<bool> IsHeldAsync(string path)
    {
        if (await _files.StatAsync(path) is null)
        {
            return false;
        }

        try
        {
            await using IFile file = await _files.OpenAsync(path, FileOpening.Read);
            return !await file.TryLockAsync();
        }
        catch (FileFailedException error) when (error.Error == Errno.EAGAIN)
        {
            return true; // Held in a way by which it cannot even be opened here: by a process with locks of another kind.
        }
    }

    private async ValueTask<string?> ReadTextAsync(string path) =>
        await FileReplacement.ReadAsync(_files, path, MaxManifestSize) is { } text ? Encoding.UTF8.GetString(text).TrimEnd('\n') : null;

    private string LockFile => Path.Combine(_folder, "lock");

    private string CheckpointOf(Lsn lsn) => Path.Combine(_checkpoints, StoreNames.Checkpoint(lsn));

    // Each replica has its own: two that write a checkpoint of the same record must not get into each other's file.
    private string TemporaryOf(Lsn lsn) =>
        _options.Replica is null ? CheckpointOf(lsn) + StoreNames.TemporarySuffix : CheckpointOf(lsn) + OwnSuffix;

    private string OwnSuffix =>
        (_options.Replica is { } replica ? $".{replica}" : StoreNames.CheckpointSuffix) + StoreNames.TemporarySuffix;

    private string ManifestOf(int copy) => Path.Combine(_folder, $"manifest.{copy}");
}
