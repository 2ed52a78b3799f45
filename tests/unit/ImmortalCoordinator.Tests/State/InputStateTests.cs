using Ambrosia.Coordinator.State;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.State;

public sealed class InputStateTests
{
    private static readonly Guid s_first = new("11111111-1111-1111-1111-111111111111");
    private static readonly Guid s_second = new("22222222-2222-2222-2222-222222222222");
    private static readonly Guid s_third = new("33333333-3333-3333-3333-333333333333");

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

    [Fact] // docs/internals/exactly-once.md H16
    public void The_sender_before_comes_back_to_its_own_watermark_and_epoch_and_a_third_begins_anew()
    {
        var input = new InputState("shop");
        input.Restore(s_first, new Watermark(5, 5, 7));
        input.Replace(s_second);
        Assert.Equal((Watermark.None, 0UL, false), (input.Durable, input.HighestEpoch, input.IsUnknown));
        input.Replace(s_first);
        Assert.Equal((new Watermark(5, 5, 7), new Watermark(5, 5, 7), 7UL), (input.Accepted, input.Durable, input.HighestEpoch));
        input.Restore(s_second, new Watermark(1, 1, 1));
        input.Replace(s_third);
        Assert.Equal((Watermark.None, 0UL), (input.Durable, input.HighestEpoch));
        input.Replace(s_second);
        Assert.Equal(new Watermark(1, 1, 1), input.Durable);
    }
}
