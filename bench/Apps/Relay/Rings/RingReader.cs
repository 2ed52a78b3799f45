namespace Ambrosia.Bench.Relay.Rings;

/// <summary>The reading end of a ring; one thread.</summary>
internal sealed class RingReader(Ring ring, Doorbell bell) : IRelayReader, IDisposable
{
    // As a Unix socket does: a writer that is woken for each freed byte would write single bytes.
    private const int WorthWaking = Ring.Capacity / 4;
    private long _read;

    private long Available => Volatile.Read(ref ring.Written) - _read;

    public ReadOnlySpan<byte> Receive()
    {
        for (int look = 0; Available == 0; look++)
        {
            if (look < LookingSocket.Looks)
            {
                Thread.Yield();
            }
            else if (!SleepUnlessThereIsSomething() && Available == 0)
            {
                return [];
            }
        }

        return ring.At(_read, Available);
    }

    public void Release(int count)
    {
        _read += count;
        Volatile.Write(ref ring.Read, _read);
        Interlocked.MemoryBarrier(); // Either the writer sees this before it sleeps, or its announcement is seen here.
        if (Volatile.Read(ref ring.WriterSleeps) != 0 && Ring.Capacity - Available >= WorthWaking
            && Interlocked.Exchange(ref ring.WriterSleeps, 0) != 0)
        {
            bell.Ring();
        }
    }

    public void Dispose()
    {
        bell.Dispose();
        ring.Dispose();
    }

    private bool SleepUnlessThereIsSomething()
    {
        Volatile.Write(ref ring.ReaderSleeps, 1);
        Interlocked.MemoryBarrier();
        bool more = Available > 0 || bell.Wait();
        Volatile.Write(ref ring.ReaderSleeps, 0);
        return more;
    }
}
