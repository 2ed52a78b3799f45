namespace Ambrosia.Inspection.Log;

/// <summary>Kinds of messages by number, as the index keeps them and the page's answers name them.</summary>
public static class MessageKinds
{
    /// <summary>Words in the order of their numbers.</summary>
    public static readonly string[] Words = ["call", "fork", "impulse", "timer", "reply", "exception"];

    /// <summary>All of them, as a set of bits.</summary>
    public const int All = (1 << 6) - 1;

    /// <summary>Number of a kind.</summary>
    public static byte NumberOf(string word) => (byte)Array.IndexOf(Words, word);
}
