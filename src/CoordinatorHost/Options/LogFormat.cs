namespace Ambrosia.CoordinatorHost.Options;

/// <summary>Form of log lines on standard error.</summary>
public enum LogFormat
{
    /// <summary>One calm line per event, for people.</summary>
    Text,

    /// <summary>One JSON object per line, for machines.</summary>
    Json,
}
