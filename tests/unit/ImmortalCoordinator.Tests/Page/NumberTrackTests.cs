using Ambrosia.Inspection.Log;


namespace Ambrosia.ImmortalCoordinator.Tests.Page;

public sealed class NumberTrackTests
{
    [Fact]
    public void A_number_leads_to_the_record_that_reached_it()
    {
        var track = new NumberTrack();
        track.Add(3, 5);
        track.Add(7, 6);
        track.Add(7, 9); // The same record again, as after a recovery: what was there first holds.
        track.Add(8, 6);
        track.Add(9, 20);
        Assert.Equal((3UL, 0UL, 5UL), track.Reaching(1));
        Assert.Equal((3UL, 0UL, 5UL), track.Reaching(5));
        Assert.Equal((7UL, 5UL, 6UL), track.Reaching(6));
        Assert.Equal((9UL, 6UL, 20UL), track.Reaching(7));
        Assert.Null(track.Reaching(21));
        Assert.Null(track.Reaching(0));
        Assert.Null(track.Behind(2));
        Assert.Equal(6UL, track.Behind(8));
        Assert.Equal(20UL, track.Last);
    }

    [Fact]
    public void What_lies_before_a_record_can_be_forgotten()
    {
        var track = new NumberTrack();
        track.Add(3, 5);
        track.Add(7, 6);
        track.Forget(4);
        Assert.Null(track.Behind(6));
        Assert.Equal(6UL, track.Behind(7));
    }
}
