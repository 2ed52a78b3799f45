using System.Buffers;

namespace Ambrosia.Protocol.Tests;

/// <summary>What an app says that it waits for.</summary>
public sealed class WaitingToldTests
{
    private static readonly WaitingTold s_told = new()
    {
        CallCount = 300,
        Calls = [new WaitingCall(5, "bank", -7, "Add", new MessagePosition(17, 3), 638_000_000_000_000_000, "Visit > Ask")],
        AwakeableCount = 1,
        Awakeables = [new WaitingAwakeable(6, "System.String", 0, new MessagePosition(18, 0), 1, "")],
        TimerCount = 2,
        Timers = [new WaitingTimer(1, 2, "Rest"), new WaitingTimer(2, 3, "")],
    };

    [Fact]
    public void It_is_read_as_it_was_written_and_what_a_later_version_adds_is_ignored()
    {
        byte[] bytes = Write(s_told);
        Assert.Equal("AC02010504" + Convert.ToHexString("bank"u8) + "0D03", Convert.ToHexString(bytes[..11]));
        var read = WaitingTold.Read([.. bytes, 1, 2, 3]);
        Assert.Equal((300, 1, 2), (read.CallCount, read.AwakeableCount, read.TimerCount));
        Assert.Equal(s_told.Calls, read.Calls);
        Assert.Equal(s_told.Awakeables, read.Awakeables);
        Assert.Equal(s_told.Timers, read.Timers);
        for (int length = 0; length < bytes.Length; length++)
        {
            Assert.Throws<ProtocolException>(() => WaitingTold.Read(bytes.AsSpan(0, length)));
        }
    }

    [Fact]
    public void More_than_a_hundred_are_not_read_nor_more_than_there_are_nor_what_acts_on_a_terminal()
    {
        WaitingTimer[] timers = [.. Enumerable.Range(1, WaitingTold.Most).Select(static i => new WaitingTimer(i, 1, ""))];
        byte[] most = Write(new WaitingTold { TimerCount = 1000, Timers = timers });
        Assert.Equal(timers, WaitingTold.Read(most).Timers);
        Assert.Equal(100, most[6]);
        byte[] more = [.. most, 1, 1, 0];
        more[6] = 101;
        Assert.Throws<ProtocolException>(() => WaitingTold.Read(more));
        Assert.Throws<ProtocolException>(() => WaitingTold.Read([0, 1, .. Write(s_told).AsSpan(3)]));
        Assert.Throws<ProtocolException>(() => WaitingTold.Read(Write(s_told with { Timers = [new WaitingTimer(1, 2, "\u001b[2J")] })));
        Assert.Throws<ProtocolException>(() =>
            WaitingTold.Read(Write(s_told with { Timers = [new WaitingTimer(1, DateTime.MaxValue.Ticks + 1, "")] })));
    }

    private static byte[] Write(WaitingTold told)
    {
        var output = new ArrayBufferWriter<byte>();
        told.Write(output);
        return output.WrittenSpan.ToArray();
    }
}
