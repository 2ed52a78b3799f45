using EndToEnd;

namespace Ambrosia.EndToEnd.Tests.Driving;

/// <summary>One request as the client remembers it.</summary>
internal sealed record Request(string Id, string Node, string Peer, WorkKind Kind)
{
    /// <summary>What the client learned.</summary>
    public Outcome Outcome { get; set; } = Outcome.Waiting;

    /// <summary>The answer that the client must get.</summary>
    public long Expected => Kind switch
    {
        WorkKind.Note or WorkKind.Large => 0,
        WorkKind.Fork => 1,
        WorkKind.Await or WorkKind.Self => 42,
        WorkKind.Nested => 4,
        WorkKind.Timer => 2,
        WorkKind.Throw => 3,
        _ => 62,
    };

    /// <summary>Every effect that the request must have once it was logged, and where.</summary>
    public IEnumerable<(string Node, string Effect)> Effects()
    {
        yield return (Node, "begun");
        switch (Kind)
        {
            case WorkKind.Fork or WorkKind.Await or WorkKind.Timer or WorkKind.Large or WorkKind.Throw:
                yield return (Peer, Kind.ToString().ToLowerInvariant());
                break;
            case WorkKind.Self:
                yield return (Node, "self");
                break;
            case WorkKind.Nested:
                yield return (Peer, "relay3");
                yield return (Node, "relay2");
                yield return (Peer, "relay1");
                yield return (Node, "relay0");
                break;
            case WorkKind.All:
                yield return (Peer, "all0");
                yield return (Node, "all1");
                yield return (Peer, "all2");
                break;
        }
    }
}
