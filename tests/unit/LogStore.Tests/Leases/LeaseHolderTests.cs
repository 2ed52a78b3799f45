using System.Net.Sockets;
using Ambrosia.LogStore.Leases;

namespace Ambrosia.LogStore.Tests.Leases;

/// <summary>Who is known to be dead, and who is not: a lease that is taken from the living is worse than one that is waited for.</summary>
public sealed class LeaseHolderTests
{
    private static readonly string[] s_here = LeaseHolder.Current.Machine.Split(' ');

    [Fact]
    public void This_process_is_alive_for_itself() => Assert.False(LeaseHolder.Current.IsKnownDead());

    [Fact]
    public void This_process_is_alive_for_other_containers_of_its_pod()
    {
        Assert.Equal(3, s_here.Length);
        Assert.All(LeaseHolder.SignsOf(LeaseHolder.Current.Process, s_here[1]), static sign => Assert.False(LifeSign.IsMissing(sign)));
    }

    [Theory] // Coordinators of version 0.1 give the sign of the store that they use, and no other.
    [InlineData(0)]
    [InlineData(1)]
    public void A_process_of_another_container_of_the_pod_is_dead_when_its_sign_of_life_is_gone(int store)
    {
        var other = new LeaseHolder("pid 1 started 17", $"{s_here[0]} pid:[17] {s_here[2]}");
        using (Socket? sign = LifeSign.TryGive(LeaseHolder.SignsOf(other.Process, "pid:[17]").ElementAt(store)))
        {
            Assert.NotNull(sign);
            Assert.False(other.IsKnownDead());
        }

        Assert.True(other.IsKnownDead());
    }

    [Fact] // As with hidepid=2, for a process of another user.
    public void A_process_that_proc_does_not_show_lives_while_it_gives_its_sign_of_life()
    {
        var other = new LeaseHolder("pid 2147483647 started 17", LeaseHolder.Current.Machine);
        using (Socket? sign = LifeSign.TryGive(LeaseHolder.SignsOf(other.Process, s_here[1]).First()))
        {
            Assert.NotNull(sign);
            Assert.False(other.IsKnownDead());
        }

        Assert.True(other.IsKnownDead());
    }

    [Theory]
    [InlineData("another boot", "pid 1 started 17", "{1} {2}")]
    [InlineData("another pod", "pid 1 started 17", "{0} pid:[17] net:[17]")]
    [InlineData("a container that gives no sign", "pid 1 started 17", "{0} pid:[17]")]
    [InlineData("one whose start is not known", "pid 1 started unknown", "{0} {1} {2}")]
    [InlineData("one that is written otherwise", "1", "{0} {1} {2}")]
    [InlineData("nobody", "", "")]
    public void Of_one_who_cannot_be_judged_nobody_says_that_he_is_dead(string who, string process, string machine)
    {
        var holder = new LeaseHolder(process, machine.Replace("{0}", s_here[0], StringComparison.Ordinal)
            .Replace("{1}", s_here[1], StringComparison.Ordinal).Replace("{2}", s_here[2], StringComparison.Ordinal));
        Assert.False(holder.IsKnownDead(), who);
    }
}
