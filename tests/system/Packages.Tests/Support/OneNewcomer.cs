namespace Ambrosia.Packages.Tests.Support;

/// <summary>The tests share what is packed and restored, and run one after the other.</summary>
[CollectionDefinition(Name)]
public sealed class OneNewcomer : ICollectionFixture<Newcomer>
{
    public const string Name = "one newcomer";
}
