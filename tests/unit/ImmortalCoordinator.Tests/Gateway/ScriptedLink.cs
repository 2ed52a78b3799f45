using System.Net;
using Ambrosia.CoordinatorHost.Gateway;

namespace Ambrosia.ImmortalCoordinator.Tests.Gateway;

/// <summary>Instances that do what a test says, one try after the other. What is not said is answered.</summary>
internal sealed class ScriptedLink : IInstanceLink
{
    private readonly Queue<Func<TryResult>> _script = new();

    /// <summary>Which instance got each try that may have arrived, or was refused.</summary>
    public List<string> Tried { get; } = [];

    /// <summary>How long each try was to wait.</summary>
    public List<TimeSpan> Waits { get; } = [];

    public ScriptedLink Then(
        TryOutcome outcome, Action? before = null, HttpStatusCode status = HttpStatusCode.Accepted, string reason = "scripted")
    {
        _script.Enqueue(() =>
        {
            before?.Invoke();
            bool isSilent = outcome is TryOutcome.NotSent or TryOutcome.Broken or TryOutcome.BadEncryption;
            return new TryResult(outcome, isSilent ? null : Answer(status), reason);
        });
        return this;
    }

    public Task<TryResult> TryAsync(ForwardedCall call, Route route, TimeSpan wait, CancellationToken gone)
    {
        gone.ThrowIfCancellationRequested();
        Tried.Add(route.InstanceId);
        Waits.Add(wait);
        return Task.FromResult(
            _script.TryDequeue(out Func<TryResult>? next) ? next() : new TryResult(TryOutcome.Answered, Answer(HttpStatusCode.OK)));
    }

    private static InstanceAnswer Answer(HttpStatusCode status) => new(new HttpResponseMessage(status), [], null);
}
