namespace Ambrosia.Bench.Relay.Rings;

/// <summary>The writing end of a ring: one thread fills it, and the same or another one passes on.</summary>
internal sealed class RingWriter(Ring ring, Doorbell bell) : IRelayWriter, IRelayStage, IDisposable
{
    private long _taken;
    private long _passed;

    private long Free => Ring.Capacity - (_taken - Volatile.Read(ref ring.Read));

    public Span<byte> Room()
    {
        for (int look = 0; Free == 0; look++)
        {
            if (look < LookingSocket.Looks)
            {
                Thread.Yield();
            }
            else
            {
                SleepUnlessThereIsRoom();
            }
        }

        return ring.At(_taken, Free);
    }

    public void Take(int count) => _taken += count;

    public ReadOnlySpan<byte> Oldest(int count) => ring.At(_passed, count);

    public void Pass(int count)
    {
        _passed += count;
        Volatile.Write(ref ring.Written, _passed);
        Interlocked.MemoryBarrier(); // Either the reader sees this before it sleeps, or its announcement is seen here.
        if (Volatile.Read(ref ring.ReaderSleeps) != 0 && Interlocked.Exchange(ref ring.ReaderSleeps, 0) != 0)
        {
            bell.Ring();
        }
    }

    public void Write(ReadOnlySpan<byte> bytes)
    {
        while (bytes.Length > 0)
        {
            Span<byte> room = Room();
            int count = Math.Min(room.Length, bytes.Length);
            bytes[..count].CopyTo(room);
            Take(count);
            Pass(count);
            bytes = bytes[count..];
        }
    }

    public void End() => bell.End();

    public void Dispose()
    {
        bell.Dispose();
        ring.Dispose();
    }

    private void SleepUnlessThereIsRoom()
    {
        Volatile.Write(ref ring.WriterSleeps, 1);
        Interlocked.MemoryBarrier();
        if (Free == 0 && !bell.Wait())
        {
            throw new IOException("The reader of the ring ended before it had read everything.");
        }

        Volatile.Write(ref ring.WriterSleeps, 0);
    }
}
