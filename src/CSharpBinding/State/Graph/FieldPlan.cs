using System.Reflection;

namespace Ambrosia.Runtime;

/// <summary>A field that is state.</summary>
internal sealed record FieldPlan(string Name, FieldInfo Field, Codec Codec);
