using System.Reflection;
using Ambrosia.Builds;

namespace Ambrosia.CSharpBinding.Tests.Builds;

/// <summary>Which code is the application's, and what came with it.</summary>
public sealed class OwnAssembliesTests
{
    [Fact]
    public void Packages_that_the_application_refers_to_are_known() =>
        Assert.Contains("xunit.core", OwnAssemblies.PackagesOf(typeof(OwnAssembliesTests)).Keys);

    [Fact] // They change with the binding, and a binding of another version is no other code.
    public void What_comes_with_the_binding_is_nobodys_own()
    {
        string[] own = [.. OwnAssemblies.Of(typeof(OwnAssembliesTests)).Select(static assembly => assembly.GetName().Name!)];
        Assert.Contains(Assembly.GetExecutingAssembly().GetName().Name, own);
        Assert.DoesNotContain(own, static name => name is "Ambrosia.CSharpBinding" or "Ambrosia.Protocol" or "Ambrosia.Primitives");
    }
}
