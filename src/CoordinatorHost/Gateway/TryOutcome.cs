namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>What became of one try to send a call to an instance.</summary>
internal enum TryOutcome
{
    /// <summary>There is an answer to pass on, whatever it says.</summary>
    Answered,

    /// <summary>The instance says that the call waits still, or that it cannot say yet.</summary>
    Pending,

    /// <summary>No byte of the call has left: nothing listens there, or there is no such host.</summary>
    NotSent,

    /// <summary>The connection ended, or time was over, after a byte of the call may have arrived.</summary>
    Broken,

    /// <summary>The instance takes no calls now: it starts, drains or is no primary.</summary>
    Unavailable,

    /// <summary>Another instance is there than the one that was meant.</summary>
    OtherInstance,

    /// <summary>The instance does not let the gateway speak for anybody.</summary>
    NotTrusted,

    /// <summary>The instance does not encrypt, or by a certificate that the gateway does not trust: no byte of the call has left.</summary>
    BadEncryption,
}
