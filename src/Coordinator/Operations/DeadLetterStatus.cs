namespace Ambrosia.Coordinator.Operations;

/// <summary>One dead letter as people see it.</summary>
public sealed record DeadLetterStatus
{
    /// <summary>Where it stood in the log: <c>17:3</c>.</summary>
    public string Position { get; init; } = "";

    /// <summary>Instance that sent it.</summary>
    public string From { get; init; } = "";

    /// <summary>Call, fork, impulse, reply or timer, and of which method.</summary>
    public string What { get; init; } = "";

    /// <summary>Id of the method, as in the contract file.</summary>
    public int MethodId { get; init; }

    /// <summary>Size of the message.</summary>
    public int Bytes { get; init; }

    /// <summary>When it was taken out (UTC).</summary>
    public DateTime DecidedAt { get; init; }

    /// <summary>Who took it out: operator, or the option that did.</summary>
    public string By { get; init; } = "";

    /// <summary>Why.</summary>
    public string Reason { get; init; } = "";

    /// <summary>Its arguments, Base64; only when one letter was asked for.</summary>
    public string Arguments { get; init; } = "";
}
