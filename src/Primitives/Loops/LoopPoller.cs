using System.Buffers.Binary;
using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Ambrosia.Primitives.Loops;

/// <summary>
/// Lets a loop's own thread wait for its descriptors. What the runtime offers waits on a thread of its own and passes each event on: on
/// the way of one message through two coordinators that is a change of threads, and often the waking of a processor, at each step.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class LoopPoller
{
    private const int Capacity = 64;
    private const ulong WakeUp = 0;
    private readonly object _gate = new();
    private readonly Dictionary<ulong, LoopWatch> _watches = [];
    private readonly byte[] _events = new byte[Capacity * Epoll.EventSize];
    private readonly int _epoll;
    private readonly int _wakeUp;
    private ulong _lastId = WakeUp;
    private bool _closed;

    private LoopPoller(int epoll, int wakeUp) => (_epoll, _wakeUp) = (epoll, wakeUp);

    /// <summary>
    /// The poller of the loop that runs on this thread; null where there is none, or the operating system has no such thing.
    /// </summary>
    public static LoopPoller? Current => (SynchronizationContext.Current as LoopSynchronizationContext)?.Poller;

    /// <summary>
    /// Begins to watch a descriptor. On the loop's thread. Null if the system has no room for another one: the runtime's own way still
    /// works.
    /// </summary>
    public LoopWatch? TryWatch(SafeHandle descriptor)
    {
        var watch = new LoopWatch(this, ++_lastId);
        lock (_gate)
        {
            _watches.Add(watch.Id, watch);
        }

        if (!Register(descriptor, watch.Id))
        {
            Forget(watch);
            return null;
        }

        return watch;
    }

    internal static LoopPoller? TryCreate()
    {
        if (!Platform.UsesLinuxCalls)
        {
            return null;
        }

        int epoll = Epoll.Create(Epoll.CloseOnExec);
        int wakeUp = Epoll.CreateEvent(0, Epoll.CloseOnExec | Epoll.NonBlocking);
        if (epoll >= 0 && wakeUp >= 0)
        {
            var poller = new LoopPoller(epoll, wakeUp);
            if (poller.RegisterWakeUp())
            {
                return poller;
            }
        }

        // Out of descriptors: the runtime's own way still works.
        _ = epoll < 0 ? 0 : Epoll.Close(epoll);
        _ = wakeUp < 0 ? 0 : Epoll.Close(wakeUp);
        return null;
    }

    /// <summary>Ends a wait of <see cref="Poll"/>, from any thread.</summary>
    internal void Wake()
    {
        Debug.Assert(Platform.UsesLinuxCalls);
        lock (_gate)
        {
            _ = _closed ? 0 : Epoll.SignalEvent(_wakeUp, 1);
        }
    }

    /// <summary>Passes on what has happened; waits for it as long as it is told (-1: until something does).</summary>
    internal unsafe void Poll(int milliseconds)
    {
        Debug.Assert(Platform.UsesLinuxCalls);
        int count;
        fixed (byte* events = _events)
        {
            count = Epoll.Wait(_epoll, events, Capacity, milliseconds);
        }

        for (int i = 0; i < count; i++)
        {
            ReadOnlySpan<byte> one = _events.AsSpan(i * Epoll.EventSize, Epoll.EventSize);
            Pass(BinaryPrimitives.ReadUInt64LittleEndian(one[Epoll.DataOffset..]), BinaryPrimitives.ReadUInt32LittleEndian(one));
        }
    }

    internal void Forget(LoopWatch watch)
    {
        lock (_gate)
        {
            _watches.Remove(watch.Id);
        }
    }

    internal void Close()
    {
        Debug.Assert(Platform.UsesLinuxCalls);
        lock (_gate)
        {
            _closed = true;
            _ = Epoll.Close(_epoll);
            _ = Epoll.Close(_wakeUp);
        }
    }

    private unsafe void Pass(ulong id, uint events)
    {
        Debug.Assert(Platform.UsesLinuxCalls);
        if (id == WakeUp)
        {
            ulong ignored;
            _ = Epoll.ClearEvent(_wakeUp, &ignored);
            return;
        }

        LoopWatch? watch;
        lock (_gate)
        {
            _watches.TryGetValue(id, out watch);
        }

        watch?.Signal(events);
    }

    private unsafe bool Register(SafeHandle descriptor, ulong id)
    {
        Debug.Assert(Platform.UsesLinuxCalls);
        byte* wanted = stackalloc byte[16];
        Describe(new Span<byte>(wanted, Epoll.EventSize), Epoll.Readable | Epoll.Writable | Epoll.PeerHangUp | Epoll.EdgeTriggered, id);
        return Epoll.Control(_epoll, Epoll.Add, descriptor, wanted) == 0;
    }

    private unsafe bool RegisterWakeUp()
    {
        Debug.Assert(Platform.UsesLinuxCalls);
        byte* wanted = stackalloc byte[16];
        Describe(new Span<byte>(wanted, Epoll.EventSize), Epoll.Readable, WakeUp);
        return Epoll.Control(_epoll, Epoll.Add, _wakeUp, wanted) == 0;
    }

    private static void Describe(Span<byte> epollEvent, uint events, ulong id)
    {
        epollEvent.Clear();
        BinaryPrimitives.WriteUInt32LittleEndian(epollEvent, events);
        BinaryPrimitives.WriteUInt64LittleEndian(epollEvent[Epoll.DataOffset..], id);
    }
}
