namespace Ambrosia.LogStore.Azure.Tests.Support;

/// <summary>Tests with real coordinators and apps: beside the others, with an emulator of their own.</summary>
[CollectionDefinition("azurite processes")]
public sealed class AzuriteProcessesCollection : ICollectionFixture<Azurite>;
