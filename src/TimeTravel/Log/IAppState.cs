namespace Ambrosia.TimeTravel.Log;

/// <summary>An app's part of a checkpoint.</summary>
internal interface IAppState
{
    /// <summary>How many bytes.</summary>
    long Size { get; }

    /// <summary>Hands the bytes over, piece by piece.</summary>
    Task CopyToAsync(Func<ReadOnlyMemory<byte>, ValueTask> write);
}
