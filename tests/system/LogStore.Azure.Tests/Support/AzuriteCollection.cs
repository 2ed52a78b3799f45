namespace Ambrosia.LogStore.Azure.Tests.Support;

/// <summary>Tests that share the emulator.</summary>
[CollectionDefinition("azurite")]
public sealed class AzuriteCollection : ICollectionFixture<Azurite>;
