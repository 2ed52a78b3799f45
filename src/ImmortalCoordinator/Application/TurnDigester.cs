using System.Buffers;
using Ambrosia.ImmortalCoordinator.Ingest;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Application;

/// <summary>Sums up to whom the turns of a record sent how much, in which order, and what.</summary>
internal sealed class TurnDigester
{
    private const ulong HashSeed = 14695981039346656037;
    private const ulong HashPrime = 1099511628211;
    private readonly Dictionary<string, int> _counts = [];
    private readonly List<string> _order = [];
    private string _lastDestination = "";
    private int _lastCount;
    private ulong _hash = HashSeed;
    private uint _contents = Crc32C.Seed;

    /// <summary>A run of messages to one destination. How runs are cut does not matter, only the sequence of destinations.</summary>
    public void Sent(string destination, int count)
    {
        if (destination != _lastDestination)
        {
            CloseRun();
            _lastDestination = destination;
        }

        _lastCount += count;
    }

    /// <summary>The bytes of a run. Replies that carry an exception are left out: their stack traces depend on what was compiled, and how, by that moment.</summary>
    public void Include(in ReadOnlySequence<byte> messages, bool hasExceptions)
    {
        if (hasExceptions)
        {
            IncludeWithoutExceptions(messages.ToArray());
            return;
        }

        foreach (ReadOnlyMemory<byte> segment in messages)
        {
            _contents = Crc32C.Append(_contents, segment.Span);
        }
    }

    /// <summary>The bytes of a run of which nobody knows whether it holds exceptions.</summary>
    public void Include(ReadOnlySpan<byte> messages) => IncludeWithoutExceptions(messages);

    /// <summary>The record is complete: its digest. The next one begins.</summary>
    public TurnDigest Close(ulong lsn)
    {
        CloseRun();
        var digest = new TurnDigest(lsn, _hash, _order.ConvertAll(d => (d, _counts[d])), Crc32C.Finish(_contents));
        Forget();
        return digest;
    }

    /// <summary>Begins anew.</summary>
    public void Forget()
    {
        _counts.Clear();
        _order.Clear();
        _lastDestination = "";
        _lastCount = 0;
        _hash = HashSeed;
        _contents = Crc32C.Seed;
    }

    private void IncludeWithoutExceptions(ReadOnlySpan<byte> messages)
    {
        var scanner = new MessageScanner(messages);
        while (scanner.MoveNext())
        {
            if (scanner.Data[0] != (byte)RpcForm.Exception)
            {
                _contents = Crc32C.Append(_contents, messages[scanner.Start..scanner.Offset]);
            }
        }
    }

    private void CloseRun()
    {
        if (_lastCount == 0)
        {
            return;
        }

        if (!_counts.TryGetValue(_lastDestination, out int count))
        {
            _order.Add(_lastDestination);
        }

        _counts[_lastDestination] = count + _lastCount;
        foreach (char c in _lastDestination)
        {
            _hash = (_hash ^ c) * HashPrime;
        }

        _hash = (_hash ^ (ulong)_lastCount) * HashPrime;
        _lastCount = 0;
    }
}
