namespace Ambrosia.LogStore.Azure.Tests.Support;

/// <summary>Tests that mostly wait until a lease is over: beside the others, with an emulator of their own.</summary>
[CollectionDefinition("azurite leases")]
public sealed class AzuriteLeasesCollection : ICollectionFixture<Azurite>;
