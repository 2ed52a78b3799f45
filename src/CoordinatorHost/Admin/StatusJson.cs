using System.Text.Json.Serialization;
using Ambrosia.Coordinator.Operations;

namespace Ambrosia.CoordinatorHost.Admin;

/// <summary>JSON of the admin address, generated at build time.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, WriteIndented = true)]
[JsonSerializable(typeof(CoordinatorStatus))]
[JsonSerializable(typeof(DeadLettersStatus))]
[JsonSerializable(typeof(WaitingStatus))]
public sealed partial class StatusJson : JsonSerializerContext;
