using System.Diagnostics;
using Ambrosia.LogStore.Settings;

namespace Ambrosia.LogStore.Append;

/// <summary>
/// A page that many writers fill at once (LLAMA, VLDB'13). One 64-bit word is the whole truth about it: 0..32 bytes reserved · 32..48
/// writers that have not published · 62 sealed. The thread that moves the word to "sealed, no writers" hands the page over; that happens
/// exactly once in a life, so nobody ever waits or spins for anybody.
/// </summary>
internal sealed class LogPage
{
    private const long Sealed = 1L << 62;
    private const long OneWriter = 1L << 32;
    private const long WriterMask = 0xFFFFL << 32;
    private const long OffsetMask = 0xFFFF_FFFFL;

    private readonly LogAppender? _owner;
    private readonly IPageProbe? _probe;
    private long _state = Sealed; // A page without a life takes nothing.
    private int _capacity;
    private int _ready;

    /// <summary>A page of an appender; or without one, under a probe, in a test of its state machine.</summary>
    public LogPage(LogAppender? owner, object context, IPageProbe? probe = null) => (_owner, Context, _probe) = (owner, context, probe);

    /// <summary>Object that the sink made for this page.</summary>
    public object Context { get; }

    /// <summary>Bytes of this life; the payload begins behind room for the record's header.</summary>
    public PageBuffer? Buffer { get; private set; }

    /// <summary>Payload bytes reserved so far.</summary>
    public int Length => (int)(Volatile.Read(ref _state) & OffsetMask);

    /// <summary>Whether all writers have left a sealed page: it can be written.</summary>
    public bool IsReady => Volatile.Read(ref _ready) != 0;

    /// <summary>Whether the page can begin a new life.</summary>
    public bool IsFree => Buffer is null;

    /// <summary>Counts the lives of all pages in the order in which they become records.</summary>
    public long Ticket { get; private set; }

    /// <summary>Opens the page to writers.</summary>
    public void Begin(PageBuffer buffer, int capacity, long ticket)
    {
        Debug.Assert(IsFree, "a page begins only after its former life was written");
        (Buffer, _capacity, Ticket) = (buffer, capacity, ticket);
        Volatile.Write(ref _ready, 0);
        Volatile.Write(ref _state, 0);
    }

    /// <summary>
    /// Begins a life that belongs to one writer alone, whose publication hands the page over. It is never open: a writer that saw the page
    /// in its life before, and comes only now to take room, would else come in.
    /// </summary>
    public void BeginTaken(PageBuffer buffer, int size, long ticket)
    {
        Debug.Assert(IsFree, "a page begins only after its former life was written");
        (Buffer, _capacity, Ticket) = (buffer, size, ticket);
        Volatile.Write(ref _ready, 0);
        Volatile.Write(ref _state, Sealed | OneWriter | (long)size);
    }

    /// <summary>Ends the life: its buffer now belongs to the record.</summary>
    public PageBuffer End()
    {
        Debug.Assert(IsReady, "only a page that was handed over can end");
        PageBuffer buffer = Buffer!;
        Volatile.Write(ref _ready, 0);
        Buffer = null;
        return buffer;
    }

    /// <summary>Takes room with one compare-and-swap.</summary>
    public PageOutcome TryReserve(int size, out int offset)
    {
        while (true)
        {
            _probe?.BeforeStep();
            long state = Volatile.Read(ref _state);
            offset = (int)(state & OffsetMask);
            if ((state & Sealed) != 0)
            {
                return PageOutcome.Sealed;
            }

            if (size > _capacity - offset || (state & WriterMask) == WriterMask)
            {
                return PageOutcome.Full;
            }

            _probe?.BeforeStep();
            if (Interlocked.CompareExchange(ref _state, state + OneWriter + size, state) == state)
            {
                return PageOutcome.Reserved;
            }
        }
    }

    /// <summary>
    /// The writer has copied its bytes. A resting committer is not woken for a page that stays open unless the writer
    /// <paramref name="wakes"/> it.
    /// </summary>
    public void Publish(bool wakes = true)
    {
        _probe?.BeforeStep();
        long state = Interlocked.Add(ref _state, -OneWriter);
        Debug.Assert((state & WriterMask) != WriterMask, "published more often than reserved");
        if ((state & (Sealed | WriterMask)) == Sealed)
        {
            HandOver();
        }
        else if (wakes && (state & Sealed) == 0)
        {
            _owner?.WakeCommitterIfIdle();
        }
    }

    /// <summary>Closes the page to writers. False when it was closed already.</summary>
    public bool Seal()
    {
        while (true)
        {
            _probe?.BeforeStep();
            long state = Volatile.Read(ref _state);
            if ((state & Sealed) != 0)
            {
                return false;
            }

            _probe?.BeforeStep();
            if (Interlocked.CompareExchange(ref _state, state | Sealed, state) == state)
            {
                if ((state & WriterMask) == 0)
                {
                    HandOver();
                }

                return true;
            }
        }
    }

    /// <summary>
    /// Closes the page without handing it over, if nobody ever reserved in it: it can be begun anew for a larger message.
    /// </summary>
    public bool TryWithdraw(out PageBuffer? buffer)
    {
        buffer = null;
        _probe?.BeforeStep();
        if (Interlocked.CompareExchange(ref _state, Sealed, 0) != 0)
        {
            return false;
        }

        (buffer, Buffer) = (Buffer, null);
        return true;
    }

    private void HandOver()
    {
        // A full fence before the committer's idleness is read: it either sees the page or is woken.
        _probe?.BeforeStep();
        Interlocked.Exchange(ref _ready, 1);
        _probe?.HandedOver();
        _owner?.WakeCommitterIfIdle();
    }
}
