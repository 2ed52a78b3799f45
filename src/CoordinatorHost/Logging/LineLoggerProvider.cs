using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Ambrosia.CoordinatorHost.Logging;

/// <summary>
/// Writes log lines to one stream, each in one write and before the call returns: whatever ends the process next, the line that explains
/// it is out. (The framework's console logger queues its lines for a thread of its own, and loses the last ones of a process that exits at
/// once.)
/// </summary>
public sealed class LineLoggerProvider(Stream output, ILineFormat format, LogLevel least, TimeProvider time) : ILoggerProvider
{
    private readonly ConcurrentDictionary<string, LineLogger> _loggers = [];
    private readonly object _gate = new();

    /// <inheritdoc/>
    public ILogger CreateLogger(string categoryName) => _loggers.GetOrAdd(categoryName, name => new LineLogger(this, name));

    /// <inheritdoc/>
    public void Dispose() => output.Flush();

    internal bool IsEnabled(LogLevel level) => level >= least && level != LogLevel.None;

    internal void Write(in LogLine line)
    {
        byte[] bytes = format.Format(line with { Time = time.GetLocalNow(), WithStackTrace = IsEnabled(LogLevel.Debug) });
        lock (_gate)
        {
            try
            {
                output.Write(bytes);
                output.Flush();
            }
            catch (IOException)
            {
                // The reader of our lines has gone. That is no reason to stop serving.
            }
        }
    }
}
