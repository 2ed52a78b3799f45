namespace Ambrosia;

/// <summary>
/// A handler in another immortal threw. For the exceptions of .NET itself the caller gets the same type, with this one as its
/// <see cref="Exception.InnerException"/>; for all others this one.
/// </summary>
public sealed class RemoteException : Exception
{
    /// <summary>What came over the wire.</summary>
    /// <param name="remoteType">Full name of the exception's type over there.</param>
    /// <param name="message">Its message.</param>
    /// <param name="remoteStackTrace">Its stack trace, as text; may be empty.</param>
    /// <param name="inner">Its inner exception, if there was one.</param>
    public RemoteException(string remoteType, string message, string remoteStackTrace, Exception? inner = null)
        : base(message, inner)
    {
        RemoteType = remoteType;
        RemoteStackTrace = remoteStackTrace;
    }

    /// <summary>Full name of the exception's type over there.</summary>
    public string RemoteType { get; }

    /// <summary>Stack trace over there, as text; may be empty.</summary>
    public string RemoteStackTrace { get; }

    /// <inheritdoc/>
    public override string ToString() =>
        RemoteStackTrace.Length == 0 ? base.ToString()
        : $"{RemoteType}: {Message}\n{RemoteStackTrace}\n--- End of remote stack trace ---\n{StackTrace}";
}
