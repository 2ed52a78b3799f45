using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.CSharpBinding.Tests.Runtime;

public sealed class CutAnywhereTests
{
    [Fact] // G1, G8: as the app's coordinator sees it.
    public async Task Killed_after_any_byte_that_it_sent_the_app_ends_where_an_undisturbed_one_does()
    {
        (string expected, long total) = await RunAsync(cut: long.MaxValue);
        Assert.True(total > 1000, "The scenario is too small to be cut.");
        for (long cut = 150; cut < total; cut += 7)
        {
            (string actual, _) = await RunAsync(cut);
            Assert.True(expected == actual, $"cut after {cut} of {total} bytes:\n{actual}\ninstead of\n{expected}");
        }
    }

    private static async Task<(string Outcome, long Bytes)> RunAsync(long cut)
    {
        await using var coordinator = new ScriptedCoordinator(static () => new Counter()) { LogsSelfMessages = false };
        await coordinator.StartFirstAsync();
        coordinator.CutAfter = cut;
        for (int step = 0; step < 8; step++)
        {
            LoggedRecord record = coordinator.Append(Step(step));
            try
            {
                await coordinator.DeliverAsync(record);
                await coordinator.UntilAsync(() => coordinator.ProgressLsn >= record.Lsn, "progress");
                if (step % 3 == 1)
                {
                    await coordinator.CheckpointAsync();
                }
            }
            catch (ScriptedCutException)
            {
                coordinator.CutAfter = long.MaxValue;
                await coordinator.KillAsync();
                await coordinator.RecoverAsync();
            }
        }

        Assert.Empty(coordinator.Divergences);
        string outcome = string.Join('\n', new[] { "client", "other" }.SelectMany(name =>
            coordinator.SentTo(name).Select(message => $"{name} {Convert.ToHexString(message)}")));
        return ($"{outcome}\n{((Counter)coordinator.Immortal!).Total}", coordinator.BytesReceived);
    }

    private static byte[][] Step(int step) => step switch
    {
        0 => [DispatchTests.AskPeer("other", 1, 1), DispatchTests.AskPeer("other", 2, 2)],
        1 => [DispatchTests.Add(RpcKind.Async, 5, 3)],
        2 => [TestMessage.Reply(RpcForm.Value, 1, 2, [20]), DispatchTests.AskPeer("other", 3, 4)],
        3 => [TestMessage.Reply(RpcForm.Value, 1, 1, [10])],
        4 => [TestMessage.Reply(RpcForm.Exception, 1, 3, [0x94, 0xA1, 0x58, 0xA1, 0x59, 0xA0, 0xC0])],
        _ => [DispatchTests.Add(RpcKind.Async, step, step), DispatchTests.Add(RpcKind.Fork, 1)],
    };
}
