using Ambrosia.Runtime;
using Ambrosia.Serialization;

namespace Ambrosia.Testing;

/// <summary>
/// The test itself, as an immortal: what it calls is called exactly once, like everything that an immortal calls. It is never killed,
/// so what it waits for need not be saved.
/// </summary>
internal sealed class Caller : Immortal
{
    public const string Name = "test-host";

    /// <summary>Makes one.</summary>
    public static readonly Func<Immortal> Create = static () => new Caller();

    private const int RunMethod = 1;
    private static readonly ImmortalContract s_contract =
        new("Ambrosia.Testing.Caller", "", [new(RunMethod, "Run", "void Run(long)", true)]);

    [NotSaved]
    private readonly Dictionary<long, WorldCall> _calls = [];

    [NotSaved]
    private bool _isPrimary;

    [NotSaved]
    private long _nextCall;

    protected override ImmortalContract Contract => s_contract;

    /// <summary>Sends a call, or keeps it until it can be sent. Runs on the caller's own context.</summary>
    public void Begin(WorldCall call)
    {
        _calls.Add(_nextCall, call);
        if (_isPrimary)
        {
            Send(_nextCall, call);
        }

        _nextCall++;
    }

    public T To<T>(string destination)
        where T : ImmortalProxy, new() => Proxy<T>(destination);

    protected override void BecomingPrimary(ImmortalContext context)
    {
        _isPrimary = true;
        foreach ((long id, WorldCall call) in _calls.ToArray())
        {
            Send(id, call);
        }
    }

    protected override void Dispatch(ref IncomingCall call)
    {
        if (call.MethodId != RunMethod)
        {
            call.UnknownMethod();
            return;
        }

        MessagePackReader arguments = call.Arguments;
        arguments.ReadArrayHeader();
        _calls.Remove(arguments.ReadInt64(), out WorldCall? begun);
        call.Complete(begun!.InTurnAsync(this));
    }

    private void Send(long id, WorldCall call)
    {
        if (call.OutsideTurn(this))
        {
            _calls.Remove(id);
        }
        else
        {
            SelfProxy<CallerProxy>().RunImpulse(id);
        }
    }
}
