using System.Text;
using Ambrosia.Link;
using Ambrosia.Protocol;

namespace Ambrosia.Runtime;

/// <summary>Destinations of one connection by name.</summary>
/// <param name="self">Name of the immortal itself, which is addressed by "".</param>
internal sealed class DestinationTable(string self)
{
    private readonly object _gate = new();
    private readonly byte[] _selfUtf8 = Encoding.UTF8.GetBytes(self);
    private readonly Dictionary<string, Destination> _byName = [];
    private readonly Destination?[] _recent = new Destination?[4096];

    /// <summary>Name of the immortal itself.</summary>
    public ReadOnlySpan<byte> SelfUtf8 => _selfUtf8;

    /// <summary>The destination with this name; the immortal's own name and "" both mean itself.</summary>
    /// <exception cref="ArgumentException">The name is not a valid one.</exception>
    public Destination Get(string name)
    {
        if (name.Length > 0 && !InstanceName.IsValid(name))
        {
            throw new ArgumentException(
                $"'{name}' is not an instance name: 1 to 63 of A-Z a-z 0-9 . _ - are allowed, beginning with a letter or digit.",
                nameof(name));
        }

        string key = name == self ? "" : name;
        lock (_gate)
        {
            if (!_byName.TryGetValue(key, out Destination? destination))
            {
                destination = new Destination(key, Encoding.UTF8.GetBytes(key));
                _byName.Add(key, destination);
            }

            return destination;
        }
    }

    /// <summary>
    /// The destination whose name stands in a message; nothing is allocated for one seen a short while ago. For the dispatching thread.
    /// </summary>
    public Destination Get(ReadOnlySpan<byte> utf8Name)
    {
        ref Destination? slot = ref _recent[Slot(utf8Name)];
        if (slot is { } recent && utf8Name.SequenceEqual(recent.IsSelf ? _selfUtf8 : recent.Utf8Name))
        {
            return recent;
        }

        string name = Encoding.UTF8.GetString(utf8Name);
        if (!InstanceName.IsValid(name))
        {
            throw new ProtocolException($"'{name}' is no name to answer to", 0);
        }

        Destination found = Get(name);
        slot = found;
        return found;
    }

    private int Slot(ReadOnlySpan<byte> name)
    {
        uint hash = 2166136261; // FNV-1a; names are short.
        foreach (byte b in name)
        {
            hash = (hash ^ b) * 16777619;
        }

        return (int)(hash & (uint)(_recent.Length - 1));
    }
}
