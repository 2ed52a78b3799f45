namespace Ambrosia.Bench.Relay.Rings;

/// <summary>Memory that bytes are received into before they are passed on. One thread may fill a block while another passes the one
/// before.</summary>
internal interface IRelayStage
{
    /// <summary>Waits until there is room, and returns it.</summary>
    Span<byte> Room();

    /// <summary>The first bytes of the room are a block now.</summary>
    void Take(int count);

    /// <summary>The bytes of the oldest block.</summary>
    ReadOnlySpan<byte> Oldest(int count);

    /// <summary>Passes the oldest block on.</summary>
    void Pass(int count);

    /// <summary>Nothing more comes.</summary>
    void End();
}
