using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.Testing.Virtual;

namespace Ambrosia.Simulation.Tests;

/// <summary>The disk of one host: takes its time, and fails where the schedule has armed it to.</summary>
internal sealed class SimDisk : IFileFaults
{
    private readonly VirtualLoop _loop;
    private readonly List<(SimFault Fault, FileCallKind Kind, Errno Error, SimState? Only)> _armed = [];
    private readonly Dictionary<VirtualProcess, int> _pending = [];
    private long _stalledUntil;

    public SimDisk(VirtualLoop loop)
    {
        _loop = loop;
        Disk.Faults = this;
    }

    public MemoryFileSystem Disk { get; } = new();

    /// <summary>Called when an armed fault strikes a process.</summary>
    public required Action<SimFault, VirtualProcess> Struck { get; init; }

    /// <summary>Looks at who changes what.</summary>
    public required WriterWatch Watch { get; init; }

    public bool IsCheckpointing { get; private set; }

    public bool IsRolling { get; private set; }

    private static VirtualProcess Caller => ((VirtualContext)SynchronizationContext.Current!).Process;

    /// <summary>Calls of a process that the disk takes its time for.</summary>
    public int PendingOf(VirtualProcess? process) => process is null ? 0 : _pending.GetValueOrDefault(process);

    public void Stall(TimeSpan time) => _stalledUntil = _loop.Now + time.Ticks;

    /// <summary>What the instance that uses the disk is doing.</summary>
    public required Func<SimState> State { get; init; }

    /// <summary>A fault waits for its call.</summary>
    public bool IsArmed => _armed.Count > 0;

    /// <summary>The next call of that kind fails; the next in a certain state if one is given.</summary>
    public void Arm(SimFault fault, SimState? only = null)
    {
        (FileCallKind kind, Errno error) = fault switch
        {
            SimFault.ReadFailed => (FileCallKind.Read, Errno.EIO),
            SimFault.WriteFailed or SimFault.WriteTorn => (FileCallKind.Write, Errno.EIO),
            SimFault.DiskFull => (FileCallKind.Write, _loop.Random.Next(2) == 0 ? Errno.ENOSPC : Errno.EDQUOT),
            SimFault.SyncFailed => (_loop.Random.Next(2) == 0 ? FileCallKind.Sync : FileCallKind.SyncData, Errno.EIO),
            SimFault.FolderSyncFailed => (FileCallKind.SyncFolder, Errno.EIO),
            _ => (_loop.Random.Next(3) switch { 0 => FileCallKind.Rename, 1 => FileCallKind.Delete, _ => FileCallKind.Open }, Errno.EROFS),
        };
        _armed.Add((fault, kind, error, only));
    }

    /// <summary>Those that wait for one state wait no longer.</summary>
    public void DisarmAimed() => _armed.RemoveAll(static armed => armed.Only is not null);

    public void Disarm()
    {
        _armed.Clear();
        _stalledUntil = 0;
    }

    /// <summary>A new process uses the disk instead of one that has ended.</summary>
    public void Restart(VirtualProcess? ended)
    {
        IsCheckpointing = IsRolling = false;
        if (ended is not null)
        {
            _pending.Remove(ended);
        }
    }

    public async ValueTask<FileFault> BeforeAsync(FileCall call)
    {
        _loop.Note(((ulong)call.Kind << 56) ^ (ulong)call.Offset ^ ((ulong)call.Length << 32));
        VirtualProcess caller = Caller;
        Begin(call);
        if (_stalledUntil > _loop.Now)
        {
            await TakeAsync(caller, _stalledUntil - _loop.Now);
        }
        else if (_loop.Random.Next(4) == 0)
        {
            await TakeAsync(caller, _loop.Random.Next(1, 20_000));
        }

        for (int i = 0; i < _armed.Count; i++)
        {
            if (_armed[i].Kind == call.Kind && (_armed[i].Only is null || _armed[i].Only == State()))
            {
                (SimFault fault, FileCallKind _, Errno error, SimState? _) = _armed[i];
                _armed.RemoveAt(i);
                Struck(fault, caller);
                return new FileFault(error, fault == SimFault.WriteFailed ? 0 : _loop.Random.Next(call.Length + 1));
            }
        }

        Watch.Look(Disk, caller.Files!, call);
        End(call);
        return FileFault.None;
    }

    private async Task TakeAsync(VirtualProcess caller, long ticks)
    {
        _pending[caller] = PendingOf(caller) + 1;
        await Task.Delay(TimeSpan.FromTicks(ticks), caller.Time);
        _pending[caller]--; // A process that was killed meanwhile does not come here.
    }

    private void Begin(FileCall call)
    {
        if (call.Kind == FileCallKind.Open && IsUnfinishedCheckpoint(call.Path))
        {
            IsCheckpointing = true;
        }
        else if ((call.Kind == FileCallKind.Rename && call.Path.EndsWith(".seg", StringComparison.Ordinal)) || IsHeaderOfNewSegment(call))
        {
            IsRolling = true;
        }
    }

    // Replicas put their number between the two.
    private static bool IsUnfinishedCheckpoint(string path) =>
        path.EndsWith(".tmp", StringComparison.Ordinal) && path.Contains(".ckpt.", StringComparison.Ordinal);

    // Written and synced before the file gets its name.
    private static bool IsHeaderOfNewSegment(FileCall call) =>
        call.Kind == FileCallKind.Write && call.Offset == 0
        && (call.Path.EndsWith(".free", StringComparison.Ordinal) || call.Path.EndsWith(".seg.tmp", StringComparison.Ordinal));

    private void End(FileCall call)
    {
        if (call.Kind == FileCallKind.Rename && call.Path.Contains("/manifest.", StringComparison.Ordinal))
        {
            IsCheckpointing = false;
        }
        else if (call.Kind is FileCallKind.Write or FileCallKind.SyncData && call.Path.EndsWith(".seg", StringComparison.Ordinal))
        {
            IsRolling = false; // The first record stands in the new segment.
        }
    }
}
