using Ambrosia.Builds;
using Ambrosia.CSharpBinding.Tests.Serialization.Library;

namespace Ambrosia.CSharpBinding.Tests.Builds;

/// <summary>What a build says of the types of its arguments.</summary>
public sealed class WireTypesTests
{
    private const string Space = "Ambrosia.CSharpBinding.Tests.Serialization.Library.";

    [Fact]
    public void Types_of_MessagePack_CSharp_are_described_by_their_keys_and_nothing_of_them_must_be_sent()
    {
        var types = new WireTypes([typeof(Parcel).Assembly]);
        SortedSet<string> names = [];
        types.Add(typeof(ICargo), names);
        types.Add(typeof(Chain), names);

        Assert.Equal([Space + "Chain", Space + "ICargo", Space + "Parcel"], names);
        BuildType union = types.Found[Space + "ICargo"];
        Assert.Equal(BuildTypeKind.Union, union.Kind);
        Assert.Equal(Space + "Parcel", union.Members["0"]);
        Assert.Equal(
            ["[0] Id System.Int32", "[1] Label System.String",
                "[2] Weights System.Collections.Generic.Dictionary`2<System.String,System.Int32>"],
            types.Found[Space + "Parcel"].Members.Select(static member => $"{member.Key} {member.Value}").Order(StringComparer.Ordinal));
        Assert.Equal(["[0] Next"], types.Found[Space + "Chain"].Members.Keys);
    }
}
