namespace Ambrosia.Inspection.Text;

/// <summary>Words for kinds of messages, as people and the page's answers name them.</summary>
public static class MessageKinds
{
    /// <summary>Words in the order of the kinds.</summary>
    public static readonly string[] Words = ["call", "fork", "impulse", "timer", "reply", "exception"];

    /// <summary>All of them, as a set of bits.</summary>
    public const int All = (1 << 6) - 1;

    /// <summary>A kind in one word.</summary>
    public static string Word(this MessageKind kind) => Words[(int)kind];
}
