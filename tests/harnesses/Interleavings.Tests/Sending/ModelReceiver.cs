using System.Buffers;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.Interleavings.Tests.Sending;

/// <summary>
/// One life of the destination, as docs/internals/exactly-once.md#the-algorithm has it: what it has accepted, what of that its log holds. A
/// fenced one goes on reading and answering, as zombies do, but nothing of it becomes durable any more.
/// </summary>
internal sealed class ModelReceiver(ModelLog log, ulong epoch, int payload)
{
    private readonly List<ModelMessage> _page = [];
    private ModelConnection? _data;

    public static Guid Id { get; } = new("00000000-0000-0000-0000-0000000000bb");

    public ulong Epoch => epoch;

    public bool Fenced { get; set; }

    public Watermark Durable { get; private set; } = log.Durable;

    public Watermark Accepted { get; private set; } = log.Durable;

    /// <summary>Highest epoch of the sender that it has met or logged.</summary>
    public ulong HighestEpoch { get; private set; } = log.Durable.SenderEpoch;

    public bool CanMakeDurable => !Fenced && _page.Count > 0;

    public bool Holds(ModelMessage message) => _page.Contains(message);

    public bool CanAnswer(ModelConnection connection) =>
        connection.AwaitsAnswer && connection.Open && connection == _data && Accepted == Durable;

    public bool CanTrim(ModelConnection connection) =>
        connection is { Open: true, Hello.Channel: PeerChannel.Control } && _data is
            { Open: true, AwaitsAnswer: false } && connection.Said != Durable;

    public void Answer(ModelConnection connection)
    {
        connection.AwaitsAnswer = false;
        connection.Send(FrameKind.Answer, new PeerAnswer(Durable, epoch, Id).Write);
    }

    public void Trim(ModelConnection connection)
    {
        connection.Said = Durable;
        connection.Send(FrameKind.Trim, new PeerAnswer(Durable, epoch, Id).Write);
    }

    /// <summary>Its page is on stable storage.</summary>
    public void MakeDurable()
    {
        log.Append(_page, Accepted);
        _page.Clear();
        Durable = Accepted;
    }

    /// <summary>Reads one frame of a connection; null if all is well, else what the sender did wrong.</summary>
    public string? Read(ModelConnection connection)
    {
        if (connection.Read() is not { } frame)
        {
            return null;
        }

        switch (frame.Kind)
        {
            case FrameKind.Hello:
                return Meet(connection, PeerHello.Read(frame.Body));
            case FrameKind.Batch:
                return connection == _data ? Accept(connection, frame.Body) : null;
            case FrameKind.Goodbye:
                return $"the sender said goodbye: {PeerGoodbye.Read(frame.Body).Reason}";
            default:
                return null;
        }
    }

    /// <summary>A zombie of the sender, connected before, hands over some more.</summary>
    public void AcceptFromZombie(IReadOnlyList<ModelMessage> messages, ulong senderEpoch)
    {
        _page.AddRange(messages);
        Accepted = Accepted.Advance((ulong)messages.Count, (ulong)messages.Count(message => !message.Impulse), senderEpoch);
    }

    private string? Meet(ModelConnection connection, PeerHello hello)
    {
        connection.Hello = hello;
        if (hello.Epoch < HighestEpoch)
        {
            return $"a Hello of epoch {hello.Epoch} after {HighestEpoch}";
        }

        if (hello.Channel == PeerChannel.Data)
        {
            _data?.Abort();
            _data = connection;
            HighestEpoch = hello.Epoch;
            connection.AwaitsAnswer = true;
        }

        return null;
    }

    private string? Accept(ModelConnection connection, byte[] body)
    {
        BatchHeader batch = BatchHeader.Read(new ReadOnlySequence<byte>(body), out ReadOnlySequence<byte> run);
        if (batch.FirstTotal != Accepted.Total + 1 || batch.FirstReplayable != Accepted.Replayable + 1)
        {
            return $"a batch begins at {batch.FirstTotal}/{batch.FirstReplayable}, expected "
                + $"{Accepted.Total + 1}/{Accepted.Replayable + 1} (D5)";
        }

        if (ModelMessage.ReadAll(run.ToArray(), payload) is not { } messages || messages.Count != batch.Count
            || messages.Count(message => !message.Impulse) != batch.ReplayableCount)
        {
            return "a batch holds other messages than it says, or other bytes than were sent";
        }

        _page.AddRange(messages);
        Accepted = Accepted.Advance((ulong)batch.Count, (ulong)batch.ReplayableCount, connection.Hello!.Epoch);
        return null;
    }
}
