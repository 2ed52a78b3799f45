using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.State;
using Ambrosia.Primitives;

namespace Ambrosia.ImmortalCoordinator.Tests.State;

/// <summary>What a checkpoint says of destinations, and of an upgrade.</summary>
public sealed class CheckpointHeadTests
{
    private static readonly Guid s_shop = new("cccccccc-0000-0000-0000-000000000001");

    [Fact] // docs/internals/exactly-once.md H26: the record that said so may be gone when the checkpoint is needed.
    public void A_checkpoint_says_what_was_dropped_in_a_format_of_its_own()
    {
        var head = new CheckpointHead { LargestMessage = 4096 };
        head.Outputs.Add(new OutputWatermark("shop", 50, 20, 3, s_shop, Dropped: 40));
        head.Outputs.Add(new OutputWatermark("mall", 5, 5, 1, Guid.Empty));
        ReadOnlyMemory<byte> bytes = head.ToBytes(new Lsn(9));
        Assert.Equal(6, bytes.Span[0]);
        CheckpointHead read = CheckpointHead.Read(bytes.Span);
        Assert.Equal(head.Outputs, read.Outputs);
        Assert.Equal(4096, read.LargestMessage);
    }

    [Fact] // The coordinator may die between the upgrade's checkpoint and the record that names the build.
    public void The_checkpoint_of_an_upgrade_names_the_build_of_the_new_version()
    {
        var head = new CheckpointHead { Build = new BuildStep(new Lsn(2), "b1") };
        head.Upgrades.Add(new VersionChange(new Lsn(3), "v1", "v2") { Build = "b2" });
        CheckpointHead read = CheckpointHead.Read(head.ToBytes(new Lsn(3)).Span);
        Assert.Equal("b2", Assert.Single(read.Upgrades).Build);
        Assert.Equal(head.Build, read.Build);
        Assert.Equal("", Assert.Single(CheckpointHead.Read(head.ToBytes(new Lsn(4)).Span).Upgrades).Build); // The log says it.
    }

    [Fact] // The new version was updated before it executed anything.
    public void Another_build_at_the_record_of_an_upgrade_is_not_taken_for_that_of_the_new_version()
    {
        var head = new CheckpointHead { Build = new BuildStep(new Lsn(3), "b3") };
        head.Upgrades.Add(new VersionChange(new Lsn(3), "v1", "v2") { Build = "b2" });
        CheckpointHead read = CheckpointHead.Read(head.ToBytes(new Lsn(3)).Span);
        Assert.Equal(("b2", head.Build), (Assert.Single(read.Upgrades).Build, read.Build));
    }

    [Fact]
    public void A_checkpoint_of_an_instance_that_never_dropped_anything_can_be_read_by_earlier_builds()
    {
        var head = new CheckpointHead();
        head.Outputs.Add(new OutputWatermark("shop", 50, 20, 3, s_shop));
        Assert.Equal(1, head.ToBytes(new Lsn(9)).Span[0]);
        head.LargestMessage = 4096;
        Assert.Equal(4, head.ToBytes(new Lsn(9)).Span[0]);
    }
}
