using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Recovery;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Errors;
using Ambrosia.Protocol;
using Ambrosia.TimeTravel;
using Ambrosia.TimeTravel.Log;

namespace Ambrosia.Cli.History;

/// <summary>
/// What is wrong with a log, by the rules of a coordinator's start and by reading what a start does not read. Each part adds to <see
/// cref="Damage"/>. The log may be live: what its writer releases meanwhile is no damage.
/// </summary>
internal sealed class LogVerification(ReplayLog log)
{
    private readonly List<string> _damage = [];

    /// <summary>What is wrong, a line each; empty when nothing is.</summary>
    public IReadOnlyList<string> Damage => _damage;

    /// <summary>Records read.</summary>
    public long Records { get; private set; }

    /// <summary>Messages in them.</summary>
    public long Messages { get; private set; }

    /// <summary>The first record read; 0 when there is none.</summary>
    public ulong First { get; private set; }

    /// <summary>The last record read; 0 when there is none.</summary>
    public ulong Last { get; private set; }

    /// <summary>Checkpoints read.</summary>
    public int Checkpoints { get; private set; }

    /// <summary>Instances whose logs it was compared with.</summary>
    public IReadOnlyList<string> Peers { get; private set; } = [];

    /// <summary>What a start would refuse or warn of.</summary>
    public async Task ExamineAsync() => _damage.AddRange((await log.ExamineAsync()).Select(static error => error.Message));

    /// <summary>Reads every record that is kept.</summary>
    public async Task ReadRecordsAsync(CancellationToken cancellationToken)
    {
        ulong lsn = First = log.OldestLsn;
        while (!cancellationToken.IsCancellationRequested)
        {
            try
            {
                if (await log.ReadAsync(lsn) is not { } record)
                {
                    return;
                }

                Records++;
                Messages += record.Count;
                Last = lsn++;
            }
            catch (ReplayException) when (log.IsLive && log.OldestLsn > lsn)
            {
                lsn = log.OldestLsn; // Released while the log was read.
            }
            catch (Exception error) when (error is LogCorruptException or ReplayException or ProtocolException)
            {
                Add(error.Message);
                return;
            }
        }
    }

    /// <summary>Reads every checkpoint that is there, whether the manifest names it or not.</summary>
    public async Task ReadCheckpointsAsync()
    {
        foreach (ulong lsn in await log.ListCheckpointsAsync())
        {
            try
            {
                Checkpoints += await log.VerifyCheckpointAsync(lsn) ? 1 : 0; // One that was released meanwhile is none.
            }
            catch (Exception error) when (error is LogCorruptException or ProtocolException)
            {
                if (!log.IsLive || (await log.ListCheckpointsAsync()).Contains(lsn))
                {
                    Add(error.Message);
                }
            }
        }
    }

    /// <summary>
    /// Compares it with the logs of instances that it has talked to, as far as they are at hand: what a peer knows of this one and this one
    /// does not is lost. The instances that it has talked to are read first, and then the peers before this one: what both log meanwhile is
    /// no difference.
    /// </summary>
    public async Task CompareAsync(Func<string, ValueTask<ReplayLog?>> open)
    {
        try
        {
            var beside = new List<LoggedWatermarks>();
            foreach (string name in (await log.WatermarksAsync()).Peers)
            {
                if (await ReadPeerAsync(name, open) is { } peer)
                {
                    beside.Add(peer);
                }
            }

            LoggedWatermarks own = await log.WatermarksAsync();
            beside.SelectMany(own.LacksBeside).ToList().ForEach(Add);
            Peers = [.. beside.Select(static peer => peer.Instance)];
        }
        catch (Exception error) when (error is LogCorruptException or CoordinatorException or ProtocolException)
        {
            Add(error.Message); // It was named before, unless it is in what only this part reads.
        }
    }

    // A peer's own damage is for its own verification to tell; from a damaged log nothing follows for this one.
    private static async Task<LoggedWatermarks?> ReadPeerAsync(string name, Func<string, ValueTask<ReplayLog?>> open)
    {
        try
        {
            await using ReplayLog? peer = await open(name);
            return peer is null ? null : await peer.WatermarksAsync();
        }
        catch (Exception error) when (error is LogStoreException or CoordinatorException or ProtocolException)
        {
            return null;
        }
    }

    private void Add(string damage)
    {
        // The examination may have named the same place.
        if (!_damage.Contains(damage))
        {
            _damage.Add(damage);
        }
    }
}
