namespace Ambrosia.Runtime;

/// <summary>An instance that messages are sent to, with its number on the present connection.</summary>
internal sealed class Destination(string name, byte[] utf8Name, int index)
{
    /// <summary>Name of the instance; "" for the immortal itself.</summary>
    public string Name { get; } = name;

    /// <summary>The name as it stands in messages.</summary>
    public byte[] Utf8Name { get; } = utf8Name;

    /// <summary>Number that replaces the name on this connection.</summary>
    public int Index { get; } = index;

    /// <summary>True for the immortal itself.</summary>
    public bool IsSelf => Name.Length == 0;
}
