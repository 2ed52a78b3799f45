namespace Ambrosia.Runtime;

/// <summary>Emitted access to the fields of a class.</summary>
internal sealed record ClassAccess(Action<WriteSession, object> Write, Action<ReadSession, object> Read);
