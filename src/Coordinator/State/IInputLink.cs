namespace Ambrosia.Coordinator.State;

/// <summary>The connection over which an input's messages come.</summary>
internal interface IInputLink
{
    /// <summary>Its frames still count.</summary>
    bool Open { get; }

    /// <summary>Of its sender.</summary>
    ulong Epoch { get; }

    /// <summary>Counts the sender's connections in this epoch.</summary>
    ulong Generation { get; }

    /// <summary>Frames that still come over it are dropped.</summary>
    void Close();

    /// <summary>The durable watermark has moved: the sender may forget what is below it.</summary>
    void OfferTrim();
}
