using System.Diagnostics;
using Ambrosia.Link;
using Ambrosia.Primitives.Telemetry;
using Ambrosia.Protocol;
using Ambrosia.Telemetry;

namespace Ambrosia.Runtime;

/// <summary>
/// Measures and traces the calls of one connection while this process acts. None of it is state: the span and the duration of a handler
/// that outlives its process are lost with it. For the thread of the turns, figures of what is pending aside.
/// </summary>
internal sealed class CallTelemetry(ImmortalRuntime runtime, TimeProvider time, double ratio) : IPendingWork, IDisposable
{
    private const int MostNames = 4096; // Anybody can send any method id.
    private static readonly ActivitySource s_source = new(BindingMeter.Name, typeof(Immortal).Assembly.GetName().Version?.ToString(3));
    private readonly Dictionary<int, string> _methods = [];
    private readonly Dictionary<object, OpenCall> _suspended = new(ReferenceEqualityComparer.Instance);
    private readonly Dictionary<long, SentCall> _outgoing = [];
    private readonly ulong _bound = CallId.BoundOf(ratio);
    private readonly ulong _seed = CallId.SeedOf(runtime.Welcome.InstanceId);
    private OpenCall? _current;
    private Activity? _outside;
    private bool _entered;

    /// <summary>True if somebody listens to spans of calls.</summary>
    public static bool IsTracing => s_source.HasListeners();

    /// <inheritdoc/>
    public string Instance => runtime.Welcome.Instance;

    /// <inheritdoc/>
    public int PendingCalls => runtime.PendingCalls.Count;

    /// <inheritdoc/>
    public int PendingTimers => runtime.Timers.Count;

    /// <inheritdoc/>
    public int PendingEffects => runtime.Effects.Count;

    private bool IsWatched => runtime.IsPrimary && (BindingMeter.MeasuresCalls || s_source.HasListeners());

    /// <summary>A handler begins.</summary>
    public void Begin(in RpcHeader message, in IncomingCall call)
    {
        if (IsWatched)
        {
            Open(message, call);
        }
    }

    /// <summary>
    /// The message calls a method that is none of the interface's. Anybody can send any id, so all of them are one name in metrics and
    /// traces, which OpenTelemetry reserves for that.
    /// </summary>
    /// <param name="methodId">The id.</param>
    public void BeginUnknown(int methodId)
    {
        _methods.Remove(methodId);
        if (_current is { } open)
        {
            string method = $"{runtime.Immortal.GetContract().InterfaceName}/_OTHER";
            _current = open with { Method = method };
            if (open.Span is { } span)
            {
                span.DisplayName = method;
                span.SetTag("rpc.method", method).SetTag("ambrosia.method.id", methodId);
            }
        }
    }

    /// <summary>The handler's turn waits for something: its outcome comes with this continuation.</summary>
    public void Suspend(object continuation)
    {
        if (_current is { } open)
        {
            _suspended[continuation] = open;
            _current = null;
            Leave();
        }
    }

    /// <summary>The outcome of a handler that waited is there.</summary>
    public void Resume(object continuation)
    {
        if (_suspended.Count > 0 && _suspended.Remove(continuation, out OpenCall open))
        {
            _current = open;
        }
    }

    /// <summary>A handler has come to its outcome.</summary>
    public void End(Exception? error = null)
    {
        if (_current is { } open)
        {
            Close(open, error);
        }
    }

    /// <summary>A call of the present turn leaves for another immortal and will be answered.</summary>
    public void Calls(Destination destination, int methodId, long number)
    {
        if (s_source.HasListeners() && runtime.IsPrimary)
        {
            Send(destination, methodId, number);
        }
    }

    /// <summary>The reply to a call is there: what it continues belongs to the span that made the call.</summary>
    public void Replied(in RpcHeader reply)
    {
        if (_outgoing.Count > 0 && _outgoing.Remove(reply.CallNumber, out SentCall sent))
        {
            sent.Span.SetStatus(reply.Form == RpcForm.Exception ? ActivityStatusCode.Error : ActivityStatusCode.Unset);
            Stop(sent.Span);
            if (sent.Handler is { IsStopped: false } handler)
            {
                Enter(Activity.Current);
                Activity.Current = handler;
            }
        }
    }

    /// <summary>The turn has ended: what comes next belongs to no handler.</summary>
    public void Leave()
    {
        if (_entered)
        {
            _entered = false;
            Activity.Current = _outside;
            _outside = null;
        }
    }

    /// <summary>This process no longer acts: spans that are open end without an outcome.</summary>
    public void Dispose()
    {
        BindingMeter.Remove(this);
        Leave();
        foreach (Activity? span in _suspended.Values.Select(static open => open.Span)
            .Concat(_outgoing.Values.Select(static sent => sent.Span)))
        {
            if (span is not null)
            {
                span.SetTag("ambrosia.outcome", "unknown");
                Stop(span);
            }
        }

        _suspended.Clear();
        _outgoing.Clear();
    }

    // The end of a span makes the one before it the present one, which may be long gone.
    private static void Stop(Activity span)
    {
        Activity? present = Activity.Current;
        span.Stop();
        Activity.Current = present == span ? null : present;
    }

    private void Open(in RpcHeader message, in IncomingCall call)
    {
        long? began = BindingMeter.MeasuresCalls ? time.GetTimestamp() : null;
        Activity? span = s_source.HasListeners() ? StartSpan(message, call) : null;
        if (began is not null || span is not null)
        {
            _current = new OpenCall(MethodOf(message.MethodId), began, span);
        }
    }

    private Activity? StartSpan(in RpcHeader message, in IncomingCall call)
    {
        ActivityContext parent = call.WaiterHere?.Client ?? default;
        bool isClients = parent != default;
        if (!isClients)
        {
            CallId id = message.Kind == RpcKind.Async
                ? CallId.OfCall(message.Caller, message.CallNumber)
                : CallId.OfMessage(_seed, runtime.Clock.Lsn, runtime.Clock.Index);
            if (!id.IsBelow(_bound))
            {
                return null;
            }

            parent = id.ToContext();
        }

        string method = MethodOf(message.MethodId);
        Activity? before = Activity.Current;
        Activity? span = s_source.StartActivity(method, ActivityKind.Server, parent);
        if (span is null)
        {
            return null;
        }

        Enter(before);
        if (span.IsAllDataRequested)
        {
            Describe(span, message, method);
        }

        return span;
    }

    private void Describe(Activity span, in RpcHeader message, string method)
    {
        span.SetTag("rpc.system.name", "ambrosia").SetTag("rpc.method", method).SetTag("ambrosia.instance", Instance)
            .SetTag("ambrosia.position", runtime.Clock.Position.ToString())
            .SetTag("ambrosia.kind", message.Kind switch { RpcKind.Async => "call", RpcKind.Fork => "fork", _ => "impulse" });
        if (message.Kind == RpcKind.Async)
        {
            span.SetTag("ambrosia.caller", message.CallerName).SetTag("ambrosia.call.number", message.CallNumber);
        }
    }

    private void Send(Destination destination, int methodId, long number)
    {
        CallId id = CallId.OfCall(runtime.Destinations.SelfUtf8, number);
        if (!id.IsBelow(_bound))
        {
            return;
        }

        ActivityContext call = id.ToContext();
        Activity? handler = Activity.Current;
        // Below the handler, with a link to the callee's trace; without a traced handler in the callee's trace itself.
        Activity? span = handler is not null && _entered
            ? s_source.StartActivity(
                ActivityKind.Client, handler.Context, links: [new ActivityLink(call)], name: $"call {NameOf(destination)}")
            : s_source.StartActivity($"call {NameOf(destination)}", ActivityKind.Client, call);
        Activity.Current = handler;
        if (span is not null)
        {
            span.SetTag("rpc.system.name", "ambrosia").SetTag("ambrosia.instance", Instance).SetTag("ambrosia.callee", NameOf(destination))
                .SetTag("ambrosia.method.id", methodId).SetTag("ambrosia.call.number", number);
            _outgoing[number] = new SentCall(span, _entered ? handler : null);
        }
    }

    private string NameOf(Destination destination) => destination.IsSelf ? Instance : destination.Name;

    private void Enter(Activity? outside)
    {
        _entered = true;
        _outside = outside;
    }

    private void Close(in OpenCall open, Exception? error)
    {
        _current = null;
        if (open.Began is { } began)
        {
            BindingMeter.Handled(Instance, open.Method, time.GetElapsedTime(began), error?.GetType().FullName);
        }

        if (open.Span is { } span)
        {
            if (error is not null)
            {
                span.SetTag("error.type", error.GetType().FullName).SetStatus(ActivityStatusCode.Error, error.Message);
            }

            Stop(span);
        }
    }

    // By id: a name is made once for each method.
    private string MethodOf(int methodId)
    {
        if (!_methods.TryGetValue(methodId, out string? name))
        {
            ImmortalContract contract = runtime.Immortal.GetContract();
            name = $"{contract.InterfaceName}/{contract.NameOf(methodId)}";
            if (_methods.Count < MostNames)
            {
                _methods[methodId] = name;
            }
        }

        return name;
    }

    /// <summary>A call that is under way, and the span of the handler that made it; null if that is not traced.</summary>
    private readonly record struct SentCall(Activity Span, Activity? Handler);
}
