using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.Testing.Virtual;

namespace Ambrosia.Simulation.Tests;

/// <summary>The disk of one host: takes its time, and fails where the schedule has armed it to.</summary>
internal sealed class SimDisk : IFileFaults
{
    private readonly VirtualLoop _loop;
    private readonly List<(SimFault Fault, FileCallKind Kind, Errno Error, SimState? Only)> _armed = [];
    private long _stalledUntil;

    public SimDisk(VirtualLoop loop)
    {
        _loop = loop;
        Disk.Faults = this;
    }

    public MemoryFileSystem Disk { get; } = new();

    /// <summary>Clock of the process that uses the disk.</summary>
    public TimeProvider? Time { get; set; }

    /// <summary>Called when an armed fault strikes.</summary>
    public required Action<SimFault> Struck { get; init; }

    public bool IsCheckpointing { get; private set; }

    public bool IsRolling { get; private set; }

    /// <summary>Calls that the disk takes its time for.</summary>
    public int Pending { get; private set; }

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

    public void Disarm()
    {
        _armed.Clear();
        _stalledUntil = 0;
    }

    /// <summary>A new process uses the disk.</summary>
    public void Restart(TimeProvider time)
    {
        Time = time;
        IsCheckpointing = IsRolling = false;
        Pending = 0;
    }

    public async ValueTask<FileFault> BeforeAsync(FileCall call)
    {
        _loop.Note(((ulong)call.Kind << 56) ^ (ulong)call.Offset ^ ((ulong)call.Length << 32));
        Begin(call);
        if (_stalledUntil > _loop.Now)
        {
            await TakeAsync(_stalledUntil - _loop.Now);
        }
        else if (_loop.Random.Next(4) == 0)
        {
            await TakeAsync(_loop.Random.Next(1, 20_000));
        }

        for (int i = 0; i < _armed.Count; i++)
        {
            if (_armed[i].Kind == call.Kind && (_armed[i].Only is null || _armed[i].Only == State()))
            {
                (SimFault fault, FileCallKind _, Errno error, SimState? _) = _armed[i];
                _armed.RemoveAt(i);
                Struck(fault);
                return new FileFault(error, fault == SimFault.WriteFailed ? 0 : _loop.Random.Next(call.Length + 1));
            }
        }

        End(call);
        return FileFault.None;
    }

    private async Task TakeAsync(long ticks)
    {
        TimeProvider time = Time!;
        Pending++;
        await Task.Delay(TimeSpan.FromTicks(ticks), time);
        Pending -= time == Time ? 1 : 0; // A process that was killed meanwhile does not come here.
    }

    private void Begin(FileCall call)
    {
        if (call.Kind == FileCallKind.Open && call.Path.EndsWith(".ckpt.tmp", StringComparison.Ordinal))
        {
            IsCheckpointing = true;
        }
        else if ((call.Kind == FileCallKind.Rename && call.Path.EndsWith(".seg", StringComparison.Ordinal)) || IsHeaderOfNewSegment(call))
        {
            IsRolling = true;
        }
    }

    // Written and synced before the file gets its name.
    private static bool IsHeaderOfNewSegment(FileCall call) =>
        call.Kind == FileCallKind.Write && call.Offset == 0 && (call.Path.EndsWith(".free", StringComparison.Ordinal) || call.Path.EndsWith(".seg.tmp", StringComparison.Ordinal));

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
