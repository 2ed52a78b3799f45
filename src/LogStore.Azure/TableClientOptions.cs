using Azure.Core;

namespace Ambrosia.LogStore.Azure;

/// <summary>Options of the pipeline to tables: those that all services of Azure have.</summary>
internal sealed class TableClientOptions : ClientOptions;
