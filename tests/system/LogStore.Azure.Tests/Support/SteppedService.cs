using Microsoft.AspNetCore.Http;

namespace Ambrosia.LogStore.Azure.Tests.Support;

/// <summary>
/// Stands between one process and the emulator, and can stop that process at any of its requests: this one and all later ones arrive only
/// when it goes on. What was answered before
/// has happened.
/// </summary>
/// <param name="target">The emulator's port.</param>
internal sealed class SteppedService(int target) : HttpRelay(target)
{
    private readonly object _lock = new();
    private TaskCompletionSource _stopped = New();
    private TaskCompletionSource _goesOn = New();
    private int _stopAt = int.MaxValue;
    private readonly List<string> _seen = [];

    /// <summary>Completes when the process is stopped.</summary>
    public Task Stopped => _stopped.Task;

    /// <summary>Requests since they were last counted anew.</summary>
    public IReadOnlyList<string> Seen
    {
        get
        {
            lock (_lock)
            {
                return [.. _seen];
            }
        }
    }

    /// <summary>From now on requests count anew, and the process is stopped at this one, counted from 1.</summary>
    public void StopAt(int request)
    {
        lock (_lock)
        {
            (_stopAt, _stopped, _goesOn) = (request, New(), New());
            _seen.Clear();
        }
    }

    /// <summary>The process goes on, and is stopped again after so many requests; by default never.</summary>
    public void GoOn(int requests = int.MaxValue)
    {
        lock (_lock)
        {
            TaskCompletionSource held = _goesOn;
            (_stopAt, _stopped, _goesOn) = (requests == int.MaxValue ? requests : _seen.Count + requests, New(), New());
            held.TrySetResult();
        }
    }

    public override ValueTask DisposeAsync()
    {
        GoOn();
        return base.DisposeAsync();
    }

    protected override async Task ActAsync(HttpContext context, byte[] body)
    {
        await Arrive(context.Request);
        using HttpResponseMessage answer = await ForwardAsync(context.Request, body);
        await CopyAsync(answer, context.Response);
    }

    private Task Arrive(HttpRequest request)
    {
        lock (_lock)
        {
            _seen.Add($"{request.Method} {request.Path}{request.QueryString} {request.Headers["x-ms-lease-action"]}".TrimEnd());
            if (_seen.Count < _stopAt)
            {
                return Task.CompletedTask;
            }

            _stopped.TrySetResult();
            return _goesOn.Task;
        }
    }

    private static TaskCompletionSource New() => new(TaskCreationOptions.RunContinuationsAsynchronously);
}
