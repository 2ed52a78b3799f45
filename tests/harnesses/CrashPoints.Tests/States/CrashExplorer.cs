using Ambrosia.LogStore.Files.Memory;

namespace Ambrosia.CrashPoints.Tests.States;

/// <summary>
/// Watches a script at work on a disk, and before each operation that follows a change looks at every disk that a power cut would leave
/// there. One of so many of these recoveries is itself watched and cut.
/// </summary>
internal sealed class CrashExplorer(CrashTally tally, Random random, int statesPerPoint,
    Func<MemoryFileSystem, CrashExplorer?, string?> recover) : IFileFaults
{
    private bool _changed = true;

    /// <summary>One of so many recoveries is cut as well; 0 for none.</summary>
    public int CutRecoveriesOneIn { get; init; }

    /// <summary>Operation from which on everything fails, as for a process that is killed there.</summary>
    public int KilledAt { get; init; } = int.MaxValue;

    /// <summary>Crash points are looked at, not only counted.</summary>
    public bool Watching { get; init; } = true;

    public int Operations { get; private set; }

    /// <summary>What was wrong first; null if nothing was.</summary>
    public string? Violation { get; private set; }

    public ValueTask<FileFault> BeforeAsync(FileCall call)
    {
        Operations++;
        if (Operations > KilledAt)
        {
            return new ValueTask<FileFault>(new FileFault(LogStore.Files.Errno.EIO));
        }

        if (_changed && Watching && Violation is null)
        {
            _changed = false;
            Look(call);
        }

        _changed |= call.Kind is not (FileCallKind.Read or FileCallKind.List or FileCallKind.Stat or FileCallKind.Lock);
        return default;
    }

    /// <summary>The disk that is watched.</summary>
    public required MemoryFileSystem Disk { get; init; }

    private void Look(FileCall call)
    {
        tally.Points++;
        foreach (MemoryFileSystem state in new PersistedStates(Disk).Enumerate(statesPerPoint, random))
        {
            if (!tally.IsNew(DiskHash.Of(state)))
            {
                continue;
            }

            CrashExplorer? second = CutRecoveriesOneIn > 0 && random.Next(CutRecoveriesOneIn) == 0
                ? new CrashExplorer(tally, random, Math.Min(statesPerPoint, 4), recover) { Disk = state }
                : null;
            state.Faults = second;
            tally.SecondCrashes += second is null ? 0 : 1;
            if ((recover(state, second) ?? second?.Violation) is { } violation)
            {
                Violation = $"cut before operation {Operations} ({call.Kind} {call.Path}): {violation}";
                return;
            }
        }
    }
}
