using System.Collections;
using System.Globalization;

namespace Ambrosia.Telemetry;

/// <summary>
/// The log scope of a message that is being executed: <c>Instance</c>, <c>Lsn</c>, <c>Index</c> and <c>Method</c>; of code outside of
/// turns <c>Instance</c> alone. A value, so that it becomes an object only where a log provider keeps it.
/// </summary>
internal readonly struct MessageScope : IReadOnlyList<KeyValuePair<string, object?>>
{
    private readonly string _instance;
    private readonly ulong _lsn;
    private readonly int _index;
    private readonly string? _method;

    /// <summary>The scope of code outside of turns.</summary>
    public MessageScope(string instance) => _instance = instance;

    /// <summary>The scope of a message.</summary>
    public MessageScope(string instance, ulong lsn, int index, string method)
    {
        (_instance, _lsn, _index, _method) = (instance, lsn, index, method);
    }

    /// <inheritdoc/>
    public int Count => _method is null ? 1 : 4;

    /// <inheritdoc/>
    public KeyValuePair<string, object?> this[int index] => index switch
    {
        0 => new("Instance", _instance),
        1 when _method is not null => new("Lsn", _lsn),
        2 when _method is not null => new("Index", _index),
        3 when _method is not null => new("Method", _method),
        _ => throw new ArgumentOutOfRangeException(nameof(index)),
    };

    /// <inheritdoc/>
    public IEnumerator<KeyValuePair<string, object?>> GetEnumerator()
    {
        for (int i = 0; i < Count; i++)
        {
            yield return this[i];
        }
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    /// <summary>For providers that write scopes as text.</summary>
    public override string ToString() =>
        _method is null ? _instance : string.Create(CultureInfo.InvariantCulture, $"{_instance} {_lsn}:{_index} {_method}");
}
