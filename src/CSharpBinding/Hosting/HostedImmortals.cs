using Ambrosia.Telemetry;

namespace Ambrosia.Hosting;

/// <summary>
/// The immortals that one host adds. A tool that starts the host for one of them, as <c>ambrosia run</c>, <c>debug</c> or <c>upgrade</c>
/// do, hands over a socket and a name:
/// then that one starts, and no other.
/// </summary>
internal sealed class HostedImmortals
{
    private readonly List<string> _names = [];
    private readonly Dictionary<string, ServingMonitor> _monitors = [];

    /// <summary>True if a name of the whole process cannot be that of each.</summary>
    public bool AreSeveral => _names.Count > 1;

    /// <summary>Their names in code.</summary>
    public IReadOnlyList<string> Names => _names;

    /// <summary>One more, by the name that the code gives it.</summary>
    /// <returns>Where it says what it does.</returns>
    /// <exception cref="InvalidOperationException">Another one has this name: they would be two apps for one log.</exception>
    public ServingMonitor Add(string name)
    {
        var monitor = new ServingMonitor();
        if (!_monitors.TryAdd(name, monitor))
        {
            throw new InvalidOperationException(
                $"This host adds '{name}' already: give each immortal a name of its own, as in AddImmortal<Orders>(\"orders-2\").");
        }

        _names.Add(name);
        return monitor;
    }

    /// <summary>What the immortal with this name in code does; null if there is none.</summary>
    public ServingMonitor? MonitorOf(string name) => _monitors.GetValueOrDefault(name);

    /// <summary>What the code's name becomes in this process; null if this immortal is not to start.</summary>
    /// <param name="name">Its name in code.</param>
    /// <param name="environment">Value of an environment variable, or null.</param>
    /// <exception cref="OptionException">A socket was handed over, and for which immortal cannot be told.</exception>
    public string? NameHere(string name, Func<string, string?> environment)
    {
        if (environment("AMBROSIA_SOCKET") is not { Length: > 0 } socket)
        {
            return name;
        }

        string? wanted = environment("AMBROSIA_INSTANCE_NAME") is { Length: > 0 } given ? given : null;
        if (_names.Count <= 1)
        {
            return wanted ?? name;
        }

        return wanted is not null && _names.Contains(wanted)
            ? wanted == name ? name : null
            : throw new OptionException(
                $"This host runs several immortals ({string.Join(", ", _names)}), and a coordinator serves one of them: "
                + $"AMBROSIA_INSTANCE_NAME says {(wanted is null ? "nothing" : $"'{wanted}'")} beside AMBROSIA_SOCKET ({socket}). Name "
                + $"the one that is to start.");
    }
}
