namespace Ambrosia.CoordinatorHost.Logging;

/// <summary>Turns a log event into one line, final line feed included.</summary>
public interface ILineFormat
{
    /// <summary>The line in UTF-8.</summary>
    byte[] Format(in LogLine line);
}
