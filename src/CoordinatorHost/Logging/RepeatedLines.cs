using Microsoft.Extensions.Logging;

namespace Ambrosia.CoordinatorHost.Logging;

/// <summary>
/// Tells the first line of a kind from those that follow within a time. Of these only the number is written when it is over, with the text
/// of the last one.
/// </summary>
internal sealed class RepeatedLines(ILogger logger, TimeSpan window, TimeProvider time) : IDisposable
{
    private const int MostKinds = 32; // Peers that change their name or port must not have a line for each.
    private readonly Dictionary<RefusedKind, LeftOutLines> _kinds = [];

    /// <summary>Writes what is still to be told.</summary>
    public void Dispose()
    {
        lock (_kinds)
        {
            foreach (LeftOutLines lines in _kinds.Values)
            {
                lines.Tell(logger, window);
                lines.Dispose();
            }

            _kinds.Clear();
        }
    }

    /// <summary>Whether a line is to be written: the first of its kind is. The text is asked for if it is left out.</summary>
    public bool IsFirst(RefusedKind kind, Func<string> text)
    {
        lock (_kinds)
        {
            if (!_kinds.ContainsKey(kind) && _kinds.Count >= MostKinds)
            {
                kind = kind with { Origin = "" };
            }

            if (_kinds.TryGetValue(kind, out LeftOutLines? lines))
            {
                lines.Add(text());
                return false;
            }

            lines = new LeftOutLines();
            _kinds.Add(kind, lines);
            lines.RingAfter(window, time, () => WindowEnded(kind));
            return true;
        }
    }

    // A kind that goes on is told of once in each window; one that has ended is forgotten.
    private void WindowEnded(RefusedKind kind)
    {
        lock (_kinds)
        {
            if (_kinds.TryGetValue(kind, out LeftOutLines? lines) && !lines.Tell(logger, window))
            {
                _kinds.Remove(kind);
                lines.Dispose();
            }
        }
    }
}
