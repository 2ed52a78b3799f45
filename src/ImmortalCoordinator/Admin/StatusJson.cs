using System.Text.Json.Serialization;

namespace Ambrosia.ImmortalCoordinator.Admin;

/// <summary>JSON of the admin address, generated at build time.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, WriteIndented = true)]
[JsonSerializable(typeof(CoordinatorStatus))]
[JsonSerializable(typeof(DeadLettersStatus))]
public sealed partial class StatusJson : JsonSerializerContext;
