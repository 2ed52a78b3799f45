namespace Ambrosia.Protocol;

/// <summary>Which of the two connections of one direction this is: acknowledgements never queue behind data.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public enum PeerChannel : byte
{
    /// <summary>Carries batches from the dialling side.</summary>
    Data = 0,

    /// <summary>Carries trims and heartbeats.</summary>
    Control = 1,
}
