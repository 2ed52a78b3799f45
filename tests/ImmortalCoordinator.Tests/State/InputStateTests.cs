using Ambrosia.Coordinator.State;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.State;

public sealed class InputStateTests
{
    private static readonly Guid s_first = new("11111111-1111-1111-1111-111111111111");
    private static readonly Guid s_second = new("22222222-2222-2222-2222-222222222222");

    [Fact] // docs/internals/exactly-once.md H16
    public void A_sender_that_was_erased_and_made_again_counts_its_epochs_from_the_beginning_for_a_log_that_is_read_too()
    {
        var input = new InputState("shop");
        input.Restore(s_first, new Watermark(5, 5, 7));
        input.Restore(s_second, new Watermark(1, 1, 1));
        Assert.Equal(1u, input.HighestEpoch);
    }

    [Fact]
    public void Of_one_sender_the_highest_epoch_counts()
    {
        var input = new InputState("shop");
        input.Restore(s_first, new Watermark(5, 5, 7));
        input.Restore(s_first, new Watermark(6, 6, 6));
        Assert.Equal(7u, input.HighestEpoch);
    }
}
