namespace Ambrosia.LogStore.Catalog;

/// <summary>An entry with the version that a later put must name.</summary>
public sealed record CatalogRow(CatalogEntry Entry, string Version);
