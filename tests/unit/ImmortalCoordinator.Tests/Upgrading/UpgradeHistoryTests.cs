using Ambrosia.Coordinator.Records;
using Ambrosia.Primitives;

namespace Ambrosia.ImmortalCoordinator.Tests.Upgrading;

/// <summary>Which build executes what follows, as the log's marks tell it.</summary>
public sealed class UpgradeHistoryTests
{
    private readonly UpgradeHistory _history = new();

    [Fact]
    public void The_first_build_at_the_record_of_an_upgrade_is_that_of_the_new_version()
    {
        _history.Apply(new VersionChange(new Lsn(5), "v1", "v2"));
        _history.Apply(new BuildStep(new Lsn(5), "b2"));
        _history.Apply(new BuildStep(new Lsn(5), "b2")); // The checkpoint has said it already.
        Assert.Equal(("b2", null), (Assert.Single(_history.Marks).Build, _history.Build));
    }

    [Fact]
    public void Another_build_at_the_record_of_an_upgrade_executes_what_follows()
    {
        _history.Apply(new VersionChange(new Lsn(5), "v1", "v2"));
        _history.Apply(new BuildStep(new Lsn(5), "b2"));
        _history.Apply(new BuildStep(new Lsn(5), "b3"));
        Assert.Equal(("b2", new BuildStep(new Lsn(5), "b3")), (Assert.Single(_history.Marks).Build, _history.Build));
    }

    [Fact] // A checkpoint of the upgrade's record still names the build of before.
    public void A_build_from_before_the_newest_upgrade_executes_nothing_any_more()
    {
        _history.Apply(new VersionChange(new Lsn(5), "v1", "v2"));
        _history.Apply(new BuildStep(new Lsn(3), "b1"));
        Assert.Null(_history.Build);
        _history.Apply(new BuildStep(new Lsn(7), "b4"));
        Assert.Equal(new BuildStep(new Lsn(7), "b4"), _history.Build);
    }
}
