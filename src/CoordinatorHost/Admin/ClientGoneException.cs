namespace Ambrosia.CoordinatorHost.Admin;

/// <summary>A client has ended its request, or its connection, before all of it had come. Nobody waits for an answer.</summary>
internal sealed class ClientGoneException(IOException inner) : OperationCanceledException(inner.Message, inner);
