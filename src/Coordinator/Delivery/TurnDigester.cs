using System.Buffers;
using Ambrosia.Coordinator.Records;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Delivery;

/// <summary>Sums up what the turns of a record sent to which destination, how much, and in which order.</summary>
public sealed class TurnDigester
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

    /// <summary>
    /// The bytes of a run. What an exception says in a reply is left out, since its stack trace depends on what was compiled by that
    /// moment; that there is one counts.
    /// </summary>
    public void Include(in ReadOnlySequence<byte> messages, bool hasExceptions)
    {
        if (hasExceptions)
        {
            IncludeEach(messages.ToArray());
            return;
        }

        foreach (ReadOnlyMemory<byte> segment in messages)
        {
            _contents = Crc32C.Append(_contents, segment.Span);
        }
    }

    /// <summary>The bytes of a run of which nobody knows whether it holds exceptions.</summary>
    public void Include(ReadOnlySpan<byte> messages) => IncludeEach(messages);

    /// <summary>The record is complete: its digest. The next one begins.</summary>
    public TurnDigest Close(ulong lsn)
    {
        CloseRun();
        uint contents = Crc32C.Finish(_contents);
        contents = contents == 0 && _order.Count > 0 ? 1 : contents; // 0 says that nothing is known.
        var digest = new TurnDigest(lsn, _hash, _order.ConvertAll(d => (d, _counts[d])), contents);
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

    private void IncludeEach(ReadOnlySpan<byte> messages)
    {
        var scanner = new MessageScanner(messages);
        while (scanner.MoveNext())
        {
            bool isException = scanner.Data[0] == (byte)RpcForm.Exception;
            ReadOnlySpan<byte> counts = isException ? scanner.Data[..^RpcHeader.Read(scanner.Data).Body.Length]
                : messages[scanner.Start..scanner.Offset];
            _contents = Crc32C.Append(_contents, counts);
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
