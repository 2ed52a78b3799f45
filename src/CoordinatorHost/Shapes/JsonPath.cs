using System.Globalization;
using System.Text;

namespace Ambrosia.CoordinatorHost.Shapes;

/// <summary>Where in a JSON value one is: <c>$.order.lines[2].price</c>.</summary>
internal sealed class JsonPath
{
    private const int LongestName = 64;
    private readonly List<(string? Name, int Index)> _steps = [];

    /// <summary>Into a member.</summary>
    public void Enter(string name) => _steps.Add((name, 0));

    /// <summary>Into an element.</summary>
    public void Enter(int index) => _steps.Add((null, index));

    /// <summary>Back out of it.</summary>
    public void Leave() => _steps.RemoveAt(_steps.Count - 1);

    /// <summary>The value here is wrong.</summary>
    public JsonValueException Wrong(string reason) => new(ToString(), reason);

    /// <inheritdoc/>
    public override string ToString()
    {
        var text = new StringBuilder("$");
        foreach ((string? name, int index) in _steps)
        {
            _ = name is null ? text.Append(CultureInfo.InvariantCulture, $"[{index}]")
                : name.Length is > 0 and < LongestName && name.All(static c => char.IsAsciiLetterOrDigit(c) || c is '_' or '$')
                    ? text.Append('.').Append(name)
                    : text.Append("['").Append(Shown(name)).Append("']");
        }

        return text.ToString();
    }

    /// <summary>A name that somebody sent, as it may stand in a message.</summary>
    public static string Shown(string name) =>
        string.Concat((name.Length > LongestName ? name[..LongestName] + "..." : name)
            .Select(static c => char.IsControl(c) || char.IsSurrogate(c) ? '?' : c));
}
