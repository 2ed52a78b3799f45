using System.Globalization;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Settings;
using Ambrosia.PowerCut.Tests.Volumes;
using Ambrosia.PowerCut.Tests.Writing;

namespace Ambrosia.PowerCut.Tests.Running;

/// <summary>One disk after the other, each through many power cuts.</summary>
internal sealed class Lane(int number, string place, int seed, Coverage coverage, Func<bool> takeCut)
{
    private const int CutsPerVolume = 60;
    private readonly Random _random = new(HashCode.Combine(seed, number));

    public async Task RunAsync()
    {
        for (int round = 0; coverage.Violations.Count == 0; round++)
        {
            VolumeKind kind = VolumeKind.All[(number + round) % VolumeKind.All.Count];
            using Volume volume = Volume.Create(kind, place, string.Create(CultureInfo.InvariantCulture, $"disk{number}-{round}"));
            var promise = new Promise();
            bool whole = true;
            for (int cut = 0; cut < CutsPerVolume && whole; cut++)
            {
                if (!takeCut())
                {
                    await LiveAsync(volume, promise, cut, last: true);
                    return;
                }

                whole = await LiveAsync(volume, promise, cut, last: false);
            }

            if (whole)
            {
                await LiveAsync(volume, promise, CutsPerVolume, last: true);
            }
        }
    }

    /// <summary>False when the disk is good for nothing any more, through no fault of what was written on it.</summary>
    private async Task<bool> LiveAsync(Volume volume, Promise promise, int cut, bool last)
    {
        CutMode mode = _random.Next(3) == 0 ? CutMode.JournalKept : CutMode.JournalLost;
        bool writeBack = _random.Next(2) == 0;
        PowerPlan plan = last ? new PowerPlan(null, 0, CutPlace.After, 0) : coverage.Choose(_random);
        var power = new PowerSwitch(volume, plan, mode, writeBack, _random.Next());
        var life = new Life(volume, promise, power, Options(), new Random(_random.Next()));
        try
        {
            volume.Mount();
            int limit = plan.Call is null ? _random.Next(1, 50) : plan.IsUnseen ? 3000 : 120;
            await life.RunAsync(last ? null : TimeSpan.FromMilliseconds(limit));
            volume.Unmount();
        }
        catch (Exception error) when (error is BrokenPromiseException or IOException && volume.OwnDamage() is { } damage)
        {
            // A file system that finds its own structures damaged owes nothing to anybody: promises break, and what it cannot find any more
            // it does not read either (EIO, so IC-2030). The log stopped, and this disk is replaced.
            coverage.Ruined($"{volume.Kind.Name}, lane {number}, cut {cut}: {damage}", last);
            return false;
        }
        catch (Exception error) when (error is not OutOfMemoryException)
        {
            coverage.Violated($"{volume.Kind.Name}, lane {number}, cut {cut} ({mode}, {plan}): {error}");
            throw;
        }

        if (last)
        {
            coverage.AddRecovery(life.Result);
        }
        else
        {
            coverage.Add(volume, mode, writeBack, power, life);
        }

        return true;
    }

    private LogStoreOptions Options() => new()
    {
        SegmentSize = Pick(64 << 10, 128 << 10, 512 << 10),
        PageSize = Pick(4096, 16 << 10, 48 << 10),
        ZeroAhead = Pick(0, 256 << 10, 8 << 20),
        SpareSegments = Pick(0, 2, 2),
        CheckpointBlockSize = Pick(4096, 64 << 10),
    };

    private int Pick(params int[] values) => values[_random.Next(values.Length)];
}
