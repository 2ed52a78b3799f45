using Microsoft.AspNetCore.Http;

namespace Ambrosia.LogStore.Azure.Tests.Support;

/// <summary>
/// Stands between a store and the emulator, and does to some requests what may happen to them. Which, and what, a seed decides.
/// </summary>
/// <param name="target">The emulator's port.</param>
/// <param name="seed">Decides.</param>
/// <param name="oneIn">One request of so many meets a fault.</param>
/// <param name="kinds">What may happen.</param>
internal sealed class FaultyService(int target, int seed, int oneIn, params FaultKind[] kinds) : HttpRelay(target)
{
    private static readonly int[] s_busy = [503, 500, 408, 429];
    private readonly Random _random = new(seed);
    private readonly SortedDictionary<FaultKind, int> _faults = [];
    private volatile bool _isQuiet;
    private volatile bool _hasLostAppend;

    /// <summary>Whether an append was done and its answer lost: the next attempt is refused.</summary>
    public bool HasLostAppend => _hasLostAppend;

    /// <summary>Faults so far.</summary>
    public int Count
    {
        get
        {
            lock (_faults)
            {
                return _faults.Values.Sum();
            }
        }
    }

    /// <summary>Faults by kind, in words.</summary>
    public string Summary
    {
        get
        {
            lock (_faults)
            {
                return string.Join(", ", _faults.Select(static pair => $"{pair.Key} {pair.Value}"));
            }
        }
    }

    /// <summary>Nothing happens any more.</summary>
    public void BeQuiet() => _isQuiet = true;

    protected override async Task ActAsync(HttpContext context, byte[] body)
    {
        (FaultKind Kind, int Number)? fault = Choose();
        switch (fault?.Kind)
        {
            case FaultKind.Busy:
                Reply(context, s_busy[fault.Value.Number % s_busy.Length], "ServerBusy");
                return;
            case FaultKind.Refused:
                Reply(context, 412, "ConditionNotMet");
                return;
            case FaultKind.Late:
                await Task.Delay(fault.Value.Number);
                break;
        }

        using HttpResponseMessage answer = await ForwardAsync(context.Request, body);
        if (fault?.Kind == FaultKind.Twice)
        {
            (await ForwardAsync(context.Request, body)).Dispose();
        }

        if (fault?.Kind == FaultKind.LostAnswer)
        {
            _hasLostAppend |= context.Request.Query["comp"] == "appendblock" && answer.IsSuccessStatusCode;
            context.Abort();
        }
        else if (fault?.Kind == FaultKind.DoneAndBusy)
        {
            Reply(context, 500, "InternalError");
        }
        else
        {
            await CopyAsync(answer, context.Response);
        }
    }

    private (FaultKind Kind, int Number)? Choose()
    {
        lock (_faults)
        {
            if (_isQuiet || _random.Next(oneIn) != 0)
            {
                return null;
            }

            FaultKind kind = kinds[_random.Next(kinds.Length)];
            _faults[kind] = _faults.GetValueOrDefault(kind) + 1;
            return (kind, _random.Next(300));
        }
    }
}
