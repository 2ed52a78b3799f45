using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Protocol;
using Ambrosia.Serialization;

namespace Ambrosia.CSharpBinding.Tests.Runtime;

/// <summary>A connection has 65,536 indexes of destinations; an immortal has as many destinations as it likes.</summary>
public sealed class ManyDestinationsTests : IAsyncDisposable
{
    private const int Step = 10_000;
    private readonly ScriptedCoordinator _coordinator = new(static () => new Counter()) { SegmentSize = 1 << 16 };

    private Counter App => (Counter)_coordinator.Immortal!;

    [Fact]
    public async Task Each_message_goes_to_its_destination_however_many_there_are_and_so_does_each_at_a_replay()
    {
        int count = Extent.IsFull || Extent.IsSoak ? 200_000 : 70_000; // More than a number of two bytes holds, or much more.
        await _coordinator.StartFirstAsync();
        await SpreadAsync(count);
        await SpreadAsync(Step); // To the first ones again, whose indexes have long been given to others.

        AssertEach(count, static i => i < Step ? 2 : 1);
        await _coordinator.KillAsync();
        await _coordinator.RecoverAsync();
        await SpreadAsync(Step);

        AssertEach(count, static i => i < Step ? 3 : 1);
        Assert.Empty(_coordinator.Divergences);
    }

    [Fact]
    public async Task Each_impulse_goes_to_its_destination_however_many_there_are()
    {
        const int count = 70_000;
        await _coordinator.StartFirstAsync();
        for (int i = 0; i < count; i++)
        {
            await App.Other($"d{i}").NoteImpulse(i);
        }

        await App.Other("d0").NoteImpulse(count);
        await _coordinator.UntilAsync(() => _coordinator.ForeignImpulses.Count == count + 1, "impulses");
        for (int i = 0; i <= count; i++)
        {
            (string destination, byte[] data) = _coordinator.ForeignImpulses[i];
            Assert.Equal($"d{i % count}", destination);
            Assert.Equal(i, ArgumentOf(data));
        }
    }

    public ValueTask DisposeAsync() => _coordinator.DisposeAsync();

    private async Task SpreadAsync(int count)
    {
        for (int first = 0; first < count; first += Step)
        {
            int from = first;
            await _coordinator.DeliverAsync(TestMessage.Call(RpcKind.Fork, 15, (ref MessagePackWriter w) =>
            {
                w.WriteArrayHeader(2);
                w.WriteInt64(from);
                w.WriteInt64(Step);
            }));
        }
    }

    private void AssertEach(int count, Func<int, int> expected)
    {
        for (int i = 0; i < count; i++)
        {
            IReadOnlyList<byte[]> sent = _coordinator.SentTo($"d{i}");
            Assert.Equal(expected(i), sent.Count);
            Assert.All(sent, message => Assert.Equal(i, ArgumentOf(TestMessage.DataOf(message))));
        }
    }

    private static int ArgumentOf(ReadOnlySpan<byte> data)
    {
        var reader = new MessagePackReader(RpcHeader.Read(data).Body);
        reader.ReadArrayHeader();
        return reader.ReadInt32();
    }
}
