namespace Ambrosia.EndToEnd.Tests.Driving;

/// <summary>The app went before it answered: nobody knows whether the request was logged.</summary>
internal sealed class GateClosedException(string reason) : IOException(reason);
