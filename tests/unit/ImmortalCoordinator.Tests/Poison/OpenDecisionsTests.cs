using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Records;
using Ambrosia.LogStore;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Poison;

/// <summary>When a replica may make no checkpoint because of what its primary is deciding.</summary>
public sealed class OpenDecisionsTests
{
    private static readonly MessagePosition s_message = new(Lsn: 17, Index: 3);
    private readonly OpenDecisions _decisions = new();

    [Fact]
    public void A_checkpoint_that_contains_a_message_which_is_being_decided_about_is_barred_and_an_older_one_is_not()
    {
        Read(1, PoisonStep.QuarantineProposed);
        Assert.True(_decisions.Bar(new Lsn(17)));
        Assert.True(_decisions.Bar(new Lsn(99)));
        Assert.False(_decisions.Bar(new Lsn(16)));
    }

    [Theory]
    [InlineData(PoisonStep.Quarantined, false)]
    [InlineData(PoisonStep.QuarantineRejected, false)]
    [InlineData(PoisonStep.Cleared, true)]
    [InlineData(PoisonStep.Suspected, true)]
    internal void A_decision_ends_with_its_end_and_with_nothing_else(PoisonStep step, bool barred)
    {
        Read(1, PoisonStep.QuarantineProposed);
        Read(1, step);
        Assert.Equal(barred, _decisions.Bar(new Lsn(99)));
    }

    [Fact] // The process that began it can log no end of it any more, and the one that may append now decides anew.
    public void A_decision_ends_with_the_epoch_of_who_had_begun_it()
    {
        Read(1, PoisonStep.QuarantineProposed);
        _decisions.Followed(1, []);
        Assert.True(_decisions.Bar(new Lsn(99)));
        _decisions.Followed(2, []);
        Assert.False(_decisions.Bar(new Lsn(99)));
        Read(2, PoisonStep.QuarantineProposed);
        Assert.True(_decisions.Bar(new Lsn(99)));
    }

    private void Read(ulong epoch, PoisonStep step) => _decisions.Followed(epoch, [QuarantineStep.Of(step, s_message, "somebody")]);
}
