using System.Buffers;
using Ambrosia.Runtime;

namespace Ambrosia.CSharpBinding.Tests.State;

/// <summary>Whatever the bytes are, reading them ends with an object or one of three exceptions, and allocates in proportion to their
/// number.</summary>
public sealed class DamageTests
{
    private sealed class App
    {
        public Dictionary<string, List<int>> Map = new() { ["a"] = [1, 2], ["b"] = [] };
        public object[] Mixed = [1, "two", 3.0, new int[] { 1, 2 }, new[,] { { 1 } }, DateTime.UnixEpoch, 1.5m, typeof(List<int>),
            new Version(1, 2)];
        public DurableDictionary<int, string?> Durable = new() { [1] = "x", [2] = null };
        public (int, string) Pair = (1, new string('q', 200));
        public DurableCompletion<int> Gate = new();
        public DurableTask<int> Suspended;
        public Exception Error = new ArgumentException("m", "p");

        public async DurableTask<int> Wait(int x)
        {
            int y = await Gate.Task;
            return x + y;
        }
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_state_cut_anywhere_is_refused(bool emit)
    {
        byte[] bytes = Sample();
        for (int length = 0; length < bytes.Length; length++)
        {
            byte[] cut = bytes[..length];
            Assert.Throws<StateFormatException>(() => Graph.Load(cut, emit));
        }
        Assert.Throws<StateFormatException>(() => Graph.Load([.. bytes, 0], emit));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_changed_byte_gives_an_object_or_one_of_three_exceptions_and_never_more_memory_than_the_bytes_justify(bool emit)
    {
        byte[] bytes = Sample();
        int refused = 0;
        foreach (byte flip in emit ? (byte[])[0x01, 0xFF] : [0x80])
        {
            for (int at = 0; at < bytes.Length; at++)
            {
                byte[] damaged = [.. bytes];
                damaged[at] ^= flip;
                long before = GC.GetAllocatedBytesForCurrentThread();
                try
                {
                    Graph.Load(damaged, emit);
                }
                catch (Exception e) when (e is StateFormatException or CannotResumeException)
                {
                    refused++;
                }
                Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 4_000_000);
            }
        }
        Assert.True(refused > bytes.Length / 2, $"{refused} of {bytes.Length} changes were refused.");
    }

    [Fact]
    public void Random_bytes_behind_the_header_are_refused()
    {
        Random random = new(7);
        byte[] header = Graph.Save(null)[..5];
        for (int i = 0; i < 5_000; i++)
        {
            byte[] noise = new byte[random.Next(1, 200)];
            random.NextBytes(noise);
            byte[] bytes = [.. header, .. noise];
            try
            {
                Graph.Load(bytes);
            }
            catch (Exception e) when (e is StateFormatException or CannotResumeException)
            {
                continue;
            }
        }
    }

    [Fact]
    public void A_type_of_dotnet_that_is_no_state_is_not_made_whatever_the_bytes_say()
    {
        byte[] bytes = Graph.Save(new Version(1, 2));
        byte[] evil = [.. bytes];
        // The same length of name: another class of .NET.
        int at = bytes.AsSpan().IndexOf("System.Version"u8);
        Assert.True(at > 0);
        "System.Progres"u8.CopyTo(evil.AsSpan(at));
        Assert.ThrowsAny<Exception>(() => Graph.Load(evil));
    }

    private static byte[] Sample()
    {
        App app = new();
        app.Suspended = app.Wait(5);
        return Graph.Save(app);
    }
}
