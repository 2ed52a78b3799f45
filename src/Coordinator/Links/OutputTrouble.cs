using Ambrosia.Coordinator.Context;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Coordinator.Links;

/// <summary>
/// Why a destination is not connected, and whether that was said already since it was last heard on a connection that worked.
/// </summary>
internal sealed class OutputTrouble(string destination, ILogger logger)
{
    private const int MostReported = 16;
    private readonly HashSet<string> _reported = [];

    /// <summary>For people; null while there is none.</summary>
    public string? Text { get; set; }

    /// <summary>Notes a trouble, and logs it the first time. True then.</summary>
    public bool Report(string trouble)
    {
        Text = trouble;
        if (_reported.Count == MostReported)
        {
            _reported.Clear();
        }

        bool isNew = _reported.Add(trouble);
        if (isNew)
        {
            CoreLog.OutputWaiting(logger, destination, trouble);
        }

        return isNew;
    }

    /// <summary>The destination was heard: what comes next is news again.</summary>
    public void Forget() => _reported.Clear();
}
