using Ambrosia.CoordinatorHost.Options;

namespace Ambrosia.ImmortalCoordinator.Tests.Application;

/// <summary>Where things lie that nobody named a place for.</summary>
public sealed class DefaultPlacesTests
{
    [Fact] // In the current folder they would be found by a start in the same folder only: from another one the state would begin anew.
    public void Without_a_home_folder_nothing_gets_a_place_by_itself()
    {
        var places = new DefaultPlaces(static _ => null, profile: "");
        OptionsException refused = Assert.Throws<OptionsException>(() => places.Complete(new CoordinatorOptions { InstanceName = "bank" }));
        Assert.Contains("AMBROSIA_HOME", refused.Message, StringComparison.Ordinal);
        Assert.Equal("", places.ServingFolder);
    }

    [Fact]
    public void Without_a_home_folder_what_has_a_place_is_served()
    {
        var options = new CoordinatorOptions { InstanceName = "bank", Store = "file:/s", Catalog = "file:/c" };
        new DefaultPlaces(static _ => null, profile: "").Complete(options);
        Assert.Equal(("file:/s", "file:/c"), (options.Store, options.Catalog));
    }

    [Theory]
    [InlineData("AMBROSIA_HOME", "/a", "/a")]
    [InlineData("XDG_DATA_HOME", "/b", "/b/ambrosia")]
    [InlineData("HOME", "/c", "/c/.local/share/ambrosia")]
    [InlineData("none", "", "/d/.local/share/ambrosia")]
    public void A_home_folder_is_that_of_a_variable_or_the_users(string variable, string value, string home) =>
        Assert.Equal(home, new DefaultPlaces(name => name == variable ? value : null, profile: "/d").Home);
}
