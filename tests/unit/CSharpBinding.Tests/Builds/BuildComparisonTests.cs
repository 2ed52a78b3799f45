using System.Buffers;
using Ambrosia.Builds;
using Ambrosia.CSharpBinding.Tests.Support;

namespace Ambrosia.CSharpBinding.Tests.Builds;

/// <summary>What differs between two builds, by what they say of themselves.</summary>
public sealed class BuildComparisonTests
{
    private static readonly BuildMethod s_add = new(7, "Add", "Add(Shops.Color) -> void", "code 1", false, ["Shops.Color"]);

    [Theory]
    [InlineData("Red=1,Green=2,Blue=3", null)]
    [InlineData("Red=2,Green=1", "Color.Red was 1 and is 2 now")]
    [InlineData("Red=1", "Color.Green (2) is gone")]
    public void An_enum_keeps_the_numbers_that_were_logged(string now, string? loss)
    {
        var comparison = new BuildComparison(Build(BuildTypeKind.Enum, "Red=1,Green=2", s_add), Build(BuildTypeKind.Enum, now, s_add));
        Assert.Equal(loss, comparison.OfSavedEnum("Shops.Color"));
        Assert.Equal(loss is not null, comparison.Methods.ContainsKey(7));
    }

    [Theory]
    [InlineData(BuildTypeKind.Object, "Id=int", "Id=int,Note=string", null)]
    [InlineData(BuildTypeKind.Object, "Id=int", "Id=int,Note=string!", "Note is new and must be sent")]
    [InlineData(BuildTypeKind.Object, "Id=int!", "Id=int", null)]
    [InlineData(BuildTypeKind.Object, "Id=int", "Number=int", "Id has no place")]
    [InlineData(BuildTypeKind.Object, "Id=int", "Id=string", "Id was int and is string now")]
    [InlineData(BuildTypeKind.Union, "1=Card,2=Cash", "1=Card,2=Cash,3=Coin", null)]
    [InlineData(BuildTypeKind.Union, "1=Card,2=Cash", "1=Cash,2=Card", "tag 1 of Color was Card and is Cash now")]
    [InlineData(BuildTypeKind.Union, "1=Card,2=Cash", "1=Card", "tag 2 of Color was Cash and is nothing now")]
    public void Arguments_that_were_logged_keep_their_meaning(object kind, string then, string now, string? loss)
    {
        var comparison = new BuildComparison(Build((BuildTypeKind)kind, then, s_add), Build((BuildTypeKind)kind, now, s_add));
        if (loss is null)
        {
            Assert.Empty(comparison.Methods);
        }
        else
        {
            Assert.Equal(BuildDifferenceKind.Lost, comparison.Methods[7].Kind);
            Assert.Contains(loss, comparison.Methods[7].Text, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void A_method_that_is_gone_or_takes_other_arguments_loses_messages_and_one_of_other_code_changes_history()
    {
        BuildManifest old = Build(BuildTypeKind.Object, "Id=int", s_add);
        BuildMethod renamed = s_add with { Id = 8 };
        Assert.Contains("new: Add(Shops.Color)", new BuildComparison(old, Build(BuildTypeKind.Object, "Id=int", renamed)).Methods[7].Text,
            StringComparison.Ordinal);
        BuildMethod retyped = s_add with { Signature = "Add(System.Int64) -> void" };
        Assert.Equal(BuildDifferenceKind.Lost, new BuildComparison(old, Build(BuildTypeKind.Object, "Id=int", retyped)).Methods[7].Kind);
        BuildMethod changed = s_add with { Code = "code 2", Awaits = true };
        Assert.Equal(BuildDifferenceKind.OtherCode,
            new BuildComparison(old, Build(BuildTypeKind.Object, "Id=int", changed)).Methods[7].Kind);
        Assert.Null(new BuildComparison(old, Build(BuildTypeKind.Object, "Id=int", changed)).OfSuspended); // The old one awaited nothing.
        BuildMethod named = s_add with { Name = "Plus", Signature = "Plus(Shops.Color) -> void" }; // By [MethodId].
        Assert.Empty(new BuildComparison(old, Build(BuildTypeKind.Object, "Id=int", named)).Methods);
    }

    [Fact]
    public void Code_that_could_not_be_read_counts_as_changed()
    {
        BuildMethod unread = s_add with { Code = "" };
        BuildManifest old = Build(BuildTypeKind.Object, "Id=int", unread);
        Assert.Equal(BuildDifferenceKind.OtherCode,
            new BuildComparison(old, Build(BuildTypeKind.Object, "Id=int", unread)).Methods[7].Kind);
        Assert.Equal(BuildDifferenceKind.OtherCode, new BuildComparison(old, Build(BuildTypeKind.Object, "Id=int", s_add)).Methods[7].Kind);
    }

    [Fact]
    public void Packages_of_other_versions_are_named_and_no_handler_is_refused_for_them()
    {
        BuildManifest old = WithPackages("xunit.core=2.1,gone=1.0");
        BuildManifest now = WithPackages("xunit.core=2.2,new=1.0");
        var comparison = new BuildComparison(old, now);
        Assert.Equal(["xunit.core was 2.1 and is 2.2 now"], comparison.Packages);
        Assert.Empty(comparison.Methods);
        Assert.Empty(new BuildComparison(Build(BuildTypeKind.Object, "Id=int", s_add), now).Packages); // Of a build that did not say them.

        BuildManifest WithPackages(string versions)
        {
            BuildManifest build = Build(BuildTypeKind.Object, "Id=int", s_add);
            return build with
            {
                Types = new Dictionary<string, BuildType>(build.Types)
                {
                    [BuildType.Packages] = new(BuildTypeKind.Packages, Members(versions)),
                },
            };
        }
    }

    [Theory] // Then and now: hashes of OnSave and OnRestore, or nothing where a build does not say.
    [InlineData("OnSave=a,OnRestore=b", "OnSave=a,OnRestore=b", null)]
    [InlineData("OnSave=a,OnRestore=b", "OnSave=c,OnRestore=b", "OnSave changed")]
    [InlineData("OnSave=a,OnRestore=b", "OnSave=a,OnRestore=c", "OnRestore changed")]
    [InlineData("OnSave=a,OnRestore=b", null, "OnRestore and OnSave changed")]
    [InlineData(null, "OnSave=a,OnRestore=b", null)]
    public void What_one_half_wrote_beside_the_fields_needs_the_other(string? then, string? now, string? loss)
    {
        string? found = new BuildComparison(Own(then), Own(now)).OfOwnFormat("Shop");
        Assert.Equal(loss is null, found is null);
        Assert.Contains(loss ?? "", found ?? "", StringComparison.Ordinal);

        static BuildManifest Own(string? halves) =>
            new("", "", new Dictionary<int, BuildMethod>(), halves is null ? [] : new Dictionary<string, BuildType>
        {
            [BuildType.OwnFormat] = new(BuildTypeKind.Code, Members(halves)),
        });
    }

    [Fact]
    public void Methods_that_only_share_a_name_with_OnSave_and_OnRestore_are_no_halves_of_a_format() =>
        Assert.DoesNotContain(BuildType.OwnFormat, BuildScan.Of(typeof(Overloaded), new Overloaded().GetContract).Types.Keys);

    [Fact]
    public void A_build_is_read_as_it_was_written()
    {
        BuildManifest build = Build(BuildTypeKind.Union, "1=Card,2=Cash", s_add);
        var bytes = new ArrayBufferWriter<byte>();
        build.Write(bytes);
        var again = new ArrayBufferWriter<byte>();
        BuildManifest.Read(bytes.WrittenSpan).Write(again);
        Assert.Equal(bytes.WrittenSpan.ToArray(), again.WrittenSpan.ToArray());
    }

    private static BuildManifest Build(BuildTypeKind kind, string members, BuildMethod method) => new(
        "build", "modules", new Dictionary<int, BuildMethod> { [method.Id] = method },
        new Dictionary<string, BuildType>
        {
            ["Shops.Color"] = new(kind, Members(members)),
        });

    private static Dictionary<string, string> Members(string text) =>
        text.Split(',').Select(static member => member.Split('=')).ToDictionary(static pair => pair[0], static pair => pair[1]);

    private sealed class Overloaded : Counter
    {
        public void OnSave(string note) => Notes.Add(note.Length);

        public void OnRestore(int version) => Notes.Add(version);
    }
}
