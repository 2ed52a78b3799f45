namespace Ambrosia.LogStore.Checkpoints;

/// <summary>
/// How fast a checkpoint is written when there is no hurry: small pieces, each of them on the device before the next one, and a rest
/// behind each, in which processors and device belong to others. A fast writer that gives way at every turn still makes them wait for the
/// piece that is just being written.
/// </summary>
/// <param name="bytesPerSecond">At most so many.</param>
/// <param name="time">The clock.</param>
/// <param name="rest">Waits so long, or less if somebody waits for the checkpoint after all.</param>
public sealed class CheckpointPace(long bytesPerSecond, TimeProvider time, Func<TimeSpan, ValueTask> rest)
{
    /// <summary>Bytes between two rests.</summary>
    public const int Piece = 64 * 1024;

    // Reading what was just written disturbs processors and not the device, and takes an eighth of the time.
    private const int ReadingIsCheaper = 8;
    private static readonly TimeSpan s_shortest = TimeSpan.FromMilliseconds(1); // Timers know no shorter one.
    private TimeSpan _owed;
    private long _last = time.GetTimestamp();

    /// <summary>A pace of reading alone.</summary>
    public static CheckpointPace OfReading(long bytesPerSecond, TimeProvider time, Func<TimeSpan, ValueTask> rest) =>
        new(bytesPerSecond / ReadingIsCheaper, time, rest);

    /// <summary>To be called behind each piece: what was written, or read, takes so long at least.</summary>
    internal async ValueTask RestAsync(int bytes, bool written)
    {
        long now = time.GetTimestamp();
        TimeSpan took = time.GetElapsedTime(_last, now); // The rest behind the piece before is part of it.
        _last = now;
        TimeSpan owed = _owed + TimeSpan.FromSeconds((double)bytes / bytesPerSecond / (written ? 1 : ReadingIsCheaper)) - took;
        _owed = owed > TimeSpan.Zero ? owed : TimeSpan.Zero; // A piece that took longer is not made up for: the rests are for others.
        if (_owed >= s_shortest)
        {
            await rest(_owed);
        }
    }
}
