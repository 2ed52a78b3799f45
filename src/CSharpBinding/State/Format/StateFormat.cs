namespace Ambrosia.Runtime;

/// <summary>Numbers of the state graph's byte format (csharp.md, "State and awaits"). They are never reused for something else.</summary>
internal static class StateFormat
{
    /// <summary>"AMBG", little-endian.</summary>
    public const uint Magic = 0x47424D41;

    public const byte Version = 1;

    /// <summary>Longest chain of type arguments, struct fields or immutable collections inside each other.</summary>
    public const int MaxNesting = 100;

    /// <summary>
    /// Strings from this length on keep their identity, so that one shared by many objects is written once. Shorter ones are cheaper to
    /// repeat.
    /// </summary>
    public const int SharedStringLength = 64;

    /// <summary>In the place of a comparer's number: it is an object of the state, and follows.</summary>
    public const byte ComparerInState = 255;

    /// <summary>
    /// Wire of a reference inside an object; <see cref="VarintWire"/> a LEB128 number; from <see cref="FirstTypeWire"/> on a value of type
    /// (wire - <see cref="FirstTypeWire"/>).
    /// </summary>
    public const int ReferenceWire = 0;
    public const int VarintWire = 1;
    public const int FirstTypeWire = 2;

    /// <summary>
    /// Ends the body of every object: a reader that has drifted notices at once. Not a length, because bodies are streamed.
    /// </summary>
    public static byte EndMark(int id) => (byte)((id * 31) ^ 0xA5);
}
