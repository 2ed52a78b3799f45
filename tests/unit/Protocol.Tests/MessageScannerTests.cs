using Ambrosia.Protocol.Tests.Support;
using FsCheck.Xunit;
using Rpc = Ambrosia.Protocol.Tests.Support.Drawn.Rpc;

namespace Ambrosia.Protocol.Tests;

[Properties(Arbitrary = [typeof(Drawn)], MaxTest = 500, Replay = "5,1", QuietOnSuccess = true)]
public sealed class MessageScannerTests
{
    [Property]
    public void Messages_of_a_run_are_found_where_they_stand(Rpc[] messages)
    {
        byte[] run = [.. messages.SelectMany(static m => m.Message)];
        var scanner = new MessageScanner(run);
        int offset = 0;
        int impulses = 0;
        foreach (byte[] message in messages.Select(static m => m.Message))
        {
            Assert.True(scanner.MoveNext());
            Assert.Equal((offset, offset + message.Length), (scanner.Start, scanner.Offset));
            Assert.Equal(message, run[scanner.Start..scanner.Offset]);
            Assert.Equal(BindingMessageType.Rpc, scanner.Type);
            impulses += scanner.IsImpulse ? 1 : 0;
            offset += message.Length;
        }

        Assert.False(scanner.MoveNext());
        Assert.Equal((messages.Length, messages.Length - impulses), MessageScanner.Count(run));
    }

    [Fact]
    public void A_reply_is_replayable_even_where_an_impulse_has_its_kind()
    {
        byte[] reply = Messages.Message(0, Messages.RpcData(RpcForm.Void, 7, RpcKind.Fork, "", (long)RpcKind.Impulse, []));

        Assert.Equal((1, 1), MessageScanner.Count(reply));
    }

    [Fact]
    public void A_message_that_its_app_could_not_read_is_refused_when_it_is_counted()
    {
        byte[] good = Messages.Fork(7, [1, 2, 3]);
        byte[] nameless = Messages.Message(0, [0, 14, 0, 0, 2]);

        Assert.Throws<ProtocolException>(() => MessageScanner.Count([.. good, .. nameless, .. good]));
    }

    [Fact]
    public void A_message_above_the_limit_is_refused_when_it_is_counted()
    {
        byte[] data = Messages.RpcData(RpcForm.Call, 7, RpcKind.Fork, "", 0, new byte[100]);
        byte[] run = [.. Messages.Fork(7, []), .. Messages.Message(0, data)];

        Assert.Equal((2, 2), MessageScanner.Count(run, data.Length + 1));
        Assert.Throws<ProtocolException>(() => MessageScanner.Count(run, data.Length));
    }

    [Fact]
    public void Counting_allocates_nothing()
    {
        byte[] run = [.. Enumerable.Range(0, 1000)
            .SelectMany(static i => new Rpc((RpcForm)(i % 4), (RpcKind)(i % 3), i * 7919, (byte)i, i, new byte[i % 50]).Message)];
        MessageScanner.Count(run);

        long before = GC.GetAllocatedBytesForCurrentThread();
        int count = 0;
        for (int i = 0; i < 100; i++)
        {
            count += MessageScanner.Count(run).Count;
        }

        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
        Assert.Equal(100_000, count);
    }
}
