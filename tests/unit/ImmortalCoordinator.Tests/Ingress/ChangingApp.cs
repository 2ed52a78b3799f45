using System.Text;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Ingress;

/// <summary>An app whose one query answers a short text, which changes with records.</summary>
internal sealed class ChangingApp
{
    private readonly object _gate = new();
    private TaskCompletionSource _moved = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private (ulong Record, string Value) _now = (1, "a");
    private int _asked;

    /// <summary>How often it was asked, and did not have to wait.</summary>
    public int Asked => Volatile.Read(ref _asked);

    /// <summary>What it says instead of an answer; null while it answers.</summary>
    public Func<Exception>? Refusal { get; set; }

    public void Move(ulong record, string value)
    {
        lock (_gate)
        {
            _now = (record, value);
            TaskCompletionSource moved = _moved;
            _moved = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            moved.SetResult();
        }
    }

    /// <summary>Those that wait are told what it says instead.</summary>
    public void Refuse(Func<Exception>? refusal)
    {
        Refusal = refusal;
        Move(_now.Record, _now.Value);
    }

    public async Task<AppAnswer> AnswerAsync(AppQuery query, CancellationToken stop)
    {
        while (true)
        {
            Task moved;
            lock (_gate)
            {
                if (Refusal is { } refusal)
                {
                    throw refusal();
                }

                if (_now.Record >= query.AtLeast)
                {
                    Interlocked.Increment(ref _asked);
                    byte[] text = Encoding.ASCII.GetBytes(_now.Value);
                    return new AppAnswer(_now.Record, QueryStatus.Answered, [(byte)(0xa0 + text.Length), .. text]);
                }

                moved = _moved.Task;
            }

            await moved.WaitAsync(stop);
        }
    }
}
