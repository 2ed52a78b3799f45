using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Primitives.Loops;

namespace Ambrosia.ImmortalCoordinator.Tests.Transport;

/// <summary>What every transport owes, on a loop that waits for its descriptors itself, as a coordinator's does.</summary>
public sealed class LoopTransportTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public Task Bytes_arrive_in_order_in_both_directions(bool unix) =>
        OnLoopAsync(unix, static transport => transport.Bytes_arrive_in_order_in_both_directions());

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public Task An_orderly_end_reaches_the_other_side_after_everything_sent(bool unix) =>
        OnLoopAsync(unix, static transport => transport.An_orderly_end_reaches_the_other_side_after_everything_sent());

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public Task An_abort_fails_the_pending_read_of_its_own_side_and_ends_that_of_the_other(bool unix) =>
        OnLoopAsync(unix, static transport => transport.An_abort_fails_the_pending_read_of_its_own_side_and_ends_that_of_the_other());

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public Task A_writer_waits_while_its_reader_does_not_read(bool unix) =>
        OnLoopAsync(unix, static transport => transport.A_writer_waits_while_its_reader_does_not_read());

    private static async Task OnLoopAsync(bool unix, Func<TransportConformance, Task> test)
    {
        using var files = new UnixTransportTests();
        TransportConformance transport = unix ? files : new TcpTransportTests();
        await new ThreadLoopRunner().Start("transport", () => test(transport)).OrFail();
    }
}
