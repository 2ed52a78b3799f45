using System.Text.Json.Serialization;

namespace Ambrosia.Bench.Micro;

/// <summary>What the argument costs with .NET's own generated serializer.</summary>
[JsonSerializable(typeof(Transfer))]
internal sealed partial class JsonTransfer : JsonSerializerContext;
