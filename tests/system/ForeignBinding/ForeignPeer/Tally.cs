namespace Ambrosia.ForeignPeer;

/// <summary>The C# half of a system of mixed languages: is numbered and numbers, beside an app of one of the original's bindings.</summary>
public sealed class Tally : TallyBase
{
    private const int Notes = 300;
    private const int Window = 16;
    private long _notes;
    private long _bytes;
    private long _nothings;
    private long _sent;
    private long _acknowledged;
    private bool _wrong;

    private TallyProxy Driver => Proxy<TallyProxy>("driver");

    /// <inheritdoc/>
    public override DurableTask Note(long number)
    {
        _wrong |= number != ++_notes || _nothings != (number - 1) / 10 || _bytes != 100 * _nothings;
        Driver.AcknowledgeFork(_wrong ? -1 : number); // Which the driver takes for disorder.
        return default;
    }

    /// <inheritdoc/>
    public override DurableTask Data(byte[] bytes)
    {
        _bytes += bytes.Length;
        return default;
    }

    /// <inheritdoc/>
    public override DurableTask Nothing()
    {
        _nothings++;
        return default;
    }

    /// <inheritdoc/>
    public override DurableTask Acknowledge(long number)
    {
        _wrong |= number != ++_acknowledged;
        SendNext();
        return default;
    }

    /// <inheritdoc/>
    protected override DurableTask OnFirstStart()
    {
        for (int i = 0; i < Window; i++)
        {
            SendNext();
        }

        return default;
    }

    private void SendNext()
    {
        if (_sent == Notes)
        {
            return;
        }

        Driver.NoteFork(++_sent);
        if (_sent % 10 == 0)
        {
            Driver.DataFork(new byte[100]);
            Driver.NothingFork();
        }
    }
}
