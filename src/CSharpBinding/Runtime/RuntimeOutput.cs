using Ambrosia.Link;

namespace Ambrosia.Runtime;

/// <summary>How a running immortal sends: the page of its turn, destinations, what begins messages, and what waits for impulses.</summary>
internal sealed class RuntimeOutput
{
    public RuntimeOutput(ImmortalRuntime runtime, Guid incarnation, int pageSize)
    {
        Page = new OutgoingPage((int)Math.Clamp(runtime.Welcome.MaxMessageBytes / 2, 1024, pageSize), runtime.MaxMessageBytes);
        TurnDestinations = new TurnDestinations(Page);
        Destinations = new DestinationTable(runtime.Welcome.Instance);
        Self = Destinations.Get("");
        Proxies = new ProxyTable(runtime);
        Impulses = new ImpulseWaiters(BitConverter.ToUInt64(incarnation.ToByteArray()));
        Calls = new CallWriter(runtime);
        Answers = new AnswerWriter(runtime);
    }

    public OutgoingPage Page { get; }

    public TurnDestinations TurnDestinations { get; }

    public DestinationTable Destinations { get; }

    public Destination Self { get; }

    public ProxyTable Proxies { get; }

    public ImpulseWaiters Impulses { get; }

    public CallWriter Calls { get; }

    public AnswerWriter Answers { get; }
}
