namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>What a gateway sends to an instance.</summary>
internal sealed record ForwardedCall
{
    /// <summary>Whether it is one of the app's typed service: its reply is a message that only its client understands.</summary>
    public bool IsTyped { get; init; }

    /// <summary>The instance that it is for.</summary>
    public required string Instance { get; init; }

    /// <summary>The id of the instance that its caller means; null if it names none.</summary>
    public string? InstanceId { get; init; }

    /// <summary>Method of HTTP.</summary>
    public required HttpMethod Method { get; init; }

    /// <summary>The path there, each part encoded.</summary>
    public required string Path { get; init; }

    /// <summary>The rest of the query, without the time to wait; empty for none.</summary>
    public string Query { get; init; } = "";

    /// <summary>The body; empty for none.</summary>
    public ReadOnlyMemory<byte> Body { get; init; }

    /// <summary>Headers that are passed on.</summary>
    public IReadOnlyList<KeyValuePair<string, string>> Headers { get; init; } = [];

    /// <summary>
    /// Whether it may be sent again when an instance may have got it: it has a key, it completes an awakeable, which each does once, or it
    /// only asks (outside-calls.md X22).
    /// </summary>
    public required bool MayRepeat { get; init; }

    /// <summary>Whether it is a query: asked again it begins anew, for its answer is not kept.</summary>
    public bool IsQuery { get; init; }

    /// <summary>Whether its answer is a stream without an end: each piece is passed on as it comes.</summary>
    public bool IsWatch { get; init; }

    /// <summary>Whether it waits only until it is in the log: then "accepted" is its answer.</summary>
    public bool Sends { get; init; }

    /// <summary>Whether it is gRPC.</summary>
    public bool IsGrpc { get; init; }

    /// <summary>How long its caller waits.</summary>
    public required TimeSpan Wait { get; init; }
}
