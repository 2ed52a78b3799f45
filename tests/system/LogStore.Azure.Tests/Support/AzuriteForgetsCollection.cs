namespace Ambrosia.LogStore.Azure.Tests.Support;

/// <summary>Tests that set the service back: beside the others, with an emulator of their own.</summary>
[CollectionDefinition("azurite forgets")]
public sealed class AzuriteForgetsCollection : ICollectionFixture<Azurite>;
