namespace Ambrosia.Coordinator.Outside;

/// <summary>Names by which the outside stands in logs and messages. No instance has either.</summary>
public static class OutsideNames
{
    /// <summary>The input that all messages from outside are logged as. It is no valid name of an instance.</summary>
    public const string Input = "(outside)";

    /// <summary>
    /// The caller of the keys under which awakeables are completed. No token's name has a space (outside-calls.md X29).
    /// </summary>
    public static string Awakeables { get; } = "(an awakeable)";

    /// <summary>
    /// The caller that all calls from outside name, and so the destination of their answers. Reserved (outside-calls.md X30).
    /// </summary>
    public static string Caller => InstanceName.Outside;
}
