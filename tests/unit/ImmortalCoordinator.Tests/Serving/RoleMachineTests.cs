using System.Text.RegularExpressions;
using Ambrosia.Coordinator.Serving;
using Ambrosia.ImmortalCoordinator.Tests.Support;

namespace Ambrosia.ImmortalCoordinator.Tests.Serving;

public sealed partial class RoleMachineTests
{
    // The way to each role from the start.
    private static readonly Dictionary<ReplicaRole, ReplicaRole[]> s_ways = new()
    {
        [ReplicaRole.Starting] = [],
        [ReplicaRole.FirstStart] = [ReplicaRole.FirstStart],
        [ReplicaRole.Recovering] = [ReplicaRole.Recovering],
        [ReplicaRole.WaitingForApp] = [ReplicaRole.Recovering, ReplicaRole.WaitingForApp],
        [ReplicaRole.Primary] = [ReplicaRole.FirstStart, ReplicaRole.Primary],
        [ReplicaRole.Secondary] = [ReplicaRole.Secondary],
        [ReplicaRole.Checkpointer] = [ReplicaRole.Secondary, ReplicaRole.Checkpointer],
        [ReplicaRole.Draining] = [ReplicaRole.Draining],
    };

    public static TheoryData<string, string> Pairs()
    {
        var pairs = new TheoryData<string, string>();
        foreach (ReplicaRole from in Enum.GetValues<ReplicaRole>())
        {
            foreach (ReplicaRole to in Enum.GetValues<ReplicaRole>())
            {
                pairs.Add(from.ToString(), to.ToString());
            }
        }

        return pairs;
    }

    [Theory]
    [MemberData(nameof(Pairs))]
    public void A_role_changes_as_the_documented_table_says_and_not_otherwise(string before, string after)
    {
        (ReplicaRole from, ReplicaRole to) = (Enum.Parse<ReplicaRole>(before), Enum.Parse<ReplicaRole>(after));
        int changes = 0;
        RoleMachine machine = At(from, () => changes++);
        changes = 0;
        if (from == ReplicaRole.Draining)
        {
            machine.Change(to);
            Assert.Equal((ReplicaRole.Draining, 0), (machine.Current, changes));
        }
        else if (from == to || Documented()[from].Contains(to))
        {
            machine.Change(to);
            Assert.Equal((to, 1), (machine.Current, changes));
        }
        else
        {
            string said = Assert.Throws<InvalidOperationException>(() => machine.Change(to)).Message;
            Assert.Contains($"'{from.Text()}' cannot become '{to.Text()}'", said, StringComparison.Ordinal);
            Assert.Equal((from, 0), (machine.Current, changes));
        }
    }

    [Fact]
    public void Every_role_has_a_word_of_its_own() =>
        Assert.Equal(Enum.GetValues<ReplicaRole>().Length, ReplicaRoleNames.All.Distinct().Count());

    private static RoleMachine At(ReplicaRole role, Action changed)
    {
        var machine = new RoleMachine(changed);
        foreach (ReplicaRole step in s_ways[role])
        {
            machine.Change(step);
        }

        Assert.Equal(role, machine.Current);
        return machine;
    }

    // The table of docs/internals/architecture.md#roles: what a reader sees is what the machine does.
    private static Dictionary<ReplicaRole, ReplicaRole[]> Documented()
    {
        string page = File.ReadAllText(Path.Combine(Repository.Root, "docs/internals/architecture.md"));
        string section = page[page.IndexOf("## Roles", StringComparison.Ordinal)..];
        Dictionary<ReplicaRole, ReplicaRole[]> table = Row().Matches(section[..section.IndexOf("\n## ", 5, StringComparison.Ordinal)])
            .ToDictionary(static row => Named(row.Groups[1].Value), static row => row.Groups[2].Value.Split(", ").Select(Named).ToArray());
        Assert.Equal(7, table.Count);
        return table;
    }

    private static ReplicaRole Named(string word) => Enum.GetValues<ReplicaRole>().Single(role => role.Text() == word.Trim());

    [GeneratedRegex(@"^\| `([a-z ]+)` \| [^|]+ \| ([a-z ,]+?) \|$", RegexOptions.Multiline)]
    private static partial Regex Row();
}
