using System.Buffers;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Outside;

/// <summary>
/// The app's replies to calls from outside, on their way into the table: they count once the turn that sent them has ended, however much of
/// that turn was released before (outside-calls.md X13). Single-threaded by the core's context.
/// </summary>
/// <param name="table">The calls that the log holds.</param>
/// <param name="time">When an answer came: only the decision what is forgotten looks at it.</param>
internal sealed class OutsideAnswers(Func<OutsideCalls> table, TimeProvider time)
{
    private readonly List<(ulong Number, byte Form, byte[] Bytes)> _open = [];

    /// <summary>
    /// Told the answer of each call when its turn has ended, at each replay again; of a call that is kept it is the first one.
    /// </summary>
    public Action<ulong, OutsideAnswer> Told { get; set; } = static (_, _) => { };

    /// <summary>Takes what a turn has sent to the outside. What is no reply goes nowhere: nobody is there (X30).</summary>
    public void Take(in ReadOnlySequence<byte> messages)
    {
        var scanner = new MessageScanner(messages.IsSingleSegment ? messages.FirstSpan : messages.ToArray());
        while (scanner.MoveNext())
        {
            RpcHeader header = RpcHeader.Read(scanner.Data);
            if (header.Form != RpcForm.Call && header.CallNumber > 0)
            {
                _open.Add(((ulong)header.CallNumber, (byte)header.Form, header.Body.ToArray()));
            }
        }
    }

    /// <summary>All turns that sent anything so far have ended; the last one was of this record.</summary>
    public void TurnsEnded(ulong lsn)
    {
        if (_open.Count == 0)
        {
            return;
        }

        ulong now = (ulong)time.GetUtcNow().ToUnixTimeMilliseconds();
        foreach ((ulong number, byte form, byte[] bytes) in _open)
        {
            var answer = new OutsideAnswer(lsn, form, bytes);
            table().Answered(number, answer, now);
            Told(number, table().Find(number)?.Answer ?? answer);
        }

        _open.Clear();
    }

    /// <summary>The app has gone within a turn: what that has sent never happened.</summary>
    public void Drop() => _open.Clear();
}
