namespace EndToEnd;

/// <summary>One request in a node's state. A handler keeps a reference to it over its awaits.</summary>
public sealed class Request
{
    public string Id { get; set; } = "";

    public int Times { get; set; }

    public bool Ended { get; set; }
}
