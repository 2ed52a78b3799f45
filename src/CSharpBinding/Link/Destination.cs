using Ambrosia.Protocol;

namespace Ambrosia.Link;

/// <summary>An instance that messages are sent to, with the numbers that stand for its name on the present connection.</summary>
internal sealed class Destination(string name, byte[] utf8Name)
{
    /// <summary>The number of the immortal itself, which no other destination gets.</summary>
    public const int SelfIndex = 0;

    /// <summary>No number: the next message announces one.</summary>
    public const int NoIndex = -1;

    /// <summary>Largest announcement, in bytes.</summary>
    public const int LargestAnnouncement = (2 * Varint.MaxSize32) + InstanceName.MaxLength;

    /// <summary>Name of the instance; "" for the immortal itself.</summary>
    public string Name { get; } = name;

    /// <summary>The name as it stands in messages.</summary>
    public byte[] Utf8Name { get; } = utf8Name;

    /// <summary>Number that replaces the name in what turns send; for the dispatching thread.</summary>
    public int TurnIndex { get; set; } = name.Length == 0 ? SelfIndex : NoIndex;

    /// <summary>Number that replaces the name in impulses; for the thread that holds the link's gate.</summary>
    public int ImpulseIndex { get; set; } = name.Length == 0 ? SelfIndex : NoIndex;

    /// <summary>True for the immortal itself.</summary>
    public bool IsSelf => Name.Length == 0;

    /// <summary>
    /// True for a caller from outside. What it is told must be the same in each life (docs/internals/outside-calls.md X18): no stack
    /// traces.
    /// </summary>
    public bool IsOutside { get; } = name == InstanceName.Outside;

    /// <summary>Writes the data of the message that gives a number this destination's name; returns the bytes.</summary>
    public int WriteAnnouncement(Span<byte> data, int index)
    {
        int size = Varint.Write(data, (ulong)index);
        size += Varint.Write(data[size..], (ulong)Utf8Name.Length);
        Utf8Name.CopyTo(data[size..]);
        return size + Utf8Name.Length;
    }
}
