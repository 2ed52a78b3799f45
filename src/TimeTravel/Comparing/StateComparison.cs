using System.Text.Json;
using Ambrosia.TimeTravel.Debugging;
using Ambrosia.TimeTravel.Link;
using Ambrosia.TimeTravel.Log;

namespace Ambrosia.TimeTravel.Comparing;

/// <summary>
/// Compares the states of two versions from time to time, and finds the message that parted them by halving the stretch since they were
/// last equal. Against the log alone, the new version's state at each checkpoint is compared with that checkpoint.
/// </summary>
internal sealed class StateComparison(Side? old, Side next, DifferenceList found, TimeProvider time) : IDisposable
{
    private const int FewestMessages = 20_000;
    private const int MostMessages = 400_000;
    private const int CostFactor = 5;
    private readonly Dictionary<ulong, string?> _atCheckpoints = [];
    private StateChunk _since = new();
    private HeldState? _oldEqual;
    private HeldState? _nextEqual;
    private ulong _from;
    private ulong _equalAt;
    private bool _enabled;
    private long _compared;
    private TimeSpan _cost;

    /// <summary>Comparisons made.</summary>
    public int Compared { get; private set; }

    /// <summary>Both stand at the beginning: whether their states can be compared at all is seen here.</summary>
    public async Task BeginAsync(ulong from)
    {
        _from = from;
        if (old is null)
        {
            return;
        }

        (string? expected, string? actual) = await HashesAsync();
        _enabled = expected is not null && expected == actual;
        if (expected is not null && actual is not null && expected != actual)
        {
            string text = $"the two versions do not keep the same fields: {await DescribeAsync()}; from here on only outputs are compared";
            found.Add(new Difference(DifferenceKind.StateShape, Position.After(from), null, 0, [], [], text));
        }

        if (_enabled)
        {
            await HoldAsync();
        }
    }

    /// <summary>Both were sent this.</summary>
    public void Sent(StateChunk chunk)
    {
        if (_enabled)
        {
            _since.Append(chunk);
        }
    }

    /// <summary>Whether both should stand still after what was sent, so that their states can be compared.</summary>
    public bool WantsPause()
    {
        TimeSpan pause = _cost * CostFactor;
        return _enabled && (_since.Count >= MostMessages || (_since.Count >= FewestMessages && time.GetElapsedTime(_compared) >= pause));
    }

    /// <summary>Both have done everything that was sent: compares.</summary>
    public async Task CompareAsync(CancellationToken cancellationToken)
    {
        if (!_enabled || _since.Count == 0)
        {
            return;
        }

        long began = time.GetTimestamp();
        (string? expected, string? actual) = await HashesAsync();
        if (expected == actual)
        {
            await HoldAsync();
            _compared = time.GetTimestamp();
            _cost = time.GetElapsedTime(began, _compared);
            return;
        }

        _enabled = false; // What differs once differs ever after; the message that began it is what people want.
        await LocateAsync(cancellationToken);
    }

    /// <summary>The new version stands at a checkpoint of the log.</summary>
    public async Task RememberAsync(ulong checkpoint) => _atCheckpoints[checkpoint] = await next.HashAsync();

    /// <summary>Loads the checkpoints that were passed into the new version, and compares.</summary>
    public async Task CompareWithLogAsync(ReplayLog log, CancellationToken cancellationToken)
    {
        foreach ((ulong lsn, string? reached) in _atCheckpoints.OrderBy(static known => known.Key))
        {
            if (await log.OpenCheckpointAsync(lsn) is not { } image)
            {
                continue; // Deleted meanwhile, by the live instance.
            }

            await using LoggedState state = await LoggedState.OpenAsync(image);
            await next.RestartAsync(state, lsn, cancellationToken);
            Compared++;
            if (await next.HashAsync() != reached)
            {
                found.Add(new Difference(DifferenceKind.State, Position.After(lsn), null, 0, [], [],
                    $"its state at {lsn} is not the one in the checkpoint taken there; an old version beside it (--against) would tell "
                    + $"which message parted them"));
                return;
            }
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _oldEqual?.Dispose();
        _nextEqual?.Dispose();
    }

    private async Task<(string? Expected, string? Actual)> HashesAsync()
    {
        Compared++;
        Task<string?> actual = next.HashAsync();
        string? expected = await old!.HashAsync();
        return (expected, await actual);
    }

    private async Task HoldAsync()
    {
        Dispose();
        Task<HeldState?> held = next.HoldAsync();
        _equalAt = Math.Max(_from, next.Sent);
        _oldEqual = await old!.HoldAsync();
        _nextEqual = await held;
        _enabled = _oldEqual is not null && _nextEqual is not null;
        _since = new StateChunk();
    }

    // low: equal after so many messages. high: different after so many.
    private async Task LocateAsync(CancellationToken cancellationToken)
    {
        StateChunk all = _since;
        int low = 0;
        int high = all.Count;
        while (high - low > 1)
        {
            int middle = low + ((high - low) / 2);
            await ReturnAsync(cancellationToken);
            await RunAsync(all.Slice(low, middle - low));
            (string? expected, string? actual) = await HashesAsync();
            if (expected == actual)
            {
                await HoldAsync();
                low = middle;
            }
            else
            {
                high = middle;
            }
        }

        await ReturnAsync(cancellationToken);
        await RunAsync(all.Slice(low, 1));
        LoggedMessage message = all[low];
        found.Add(new Difference(
            DifferenceKind.State, message.Position, MessageSummary.Of(message), message.MethodId, [], [],
            $"left another state behind: {await DescribeAsync()}"));
        if (high < all.Count)
        {
            await RunAsync(all.Slice(high, all.Count - high));
        }

        _enabled = false;
    }

    private Task ReturnAsync(CancellationToken cancellationToken) =>
        Task.WhenAll(old!.RestartAsync(_oldEqual, _equalAt, cancellationToken), next.RestartAsync(_nextEqual, _equalAt, cancellationToken));

    private async Task RunAsync(StateChunk chunk)
    {
        await Task.WhenAll(old!.SendAsync(chunk), next.SendAsync(chunk));
        old.Return(await old.TakeAsync());
        next.Return(await next.TakeAsync());
    }

    private async Task<string> DescribeAsync()
    {
        using JsonDocument expected = await old!.StateAsync();
        using JsonDocument actual = await next.StateAsync();
        IReadOnlyList<StateDifference> differences = StateDifference.Between(expected.RootElement, actual.RootElement);
        string rest = differences.Count > 3 ? $" and {differences.Count - 3} more" : "";
        return differences.Count == 0
            ? "in what is not shown (types, order, or objects that are one in one version and two in the other)"
            : string.Join("; ", differences.Take(3).Select(static d => $"{d.Path} was {d.Before ?? "absent"}, is {d.After ?? "absent"}"))
            + rest;
    }
}
