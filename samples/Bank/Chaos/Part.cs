namespace Bank;

/// <summary>The two processes of an immortal.</summary>
[Flags]
internal enum Part
{
    None = 0,
    Coordinator = 1,
    App = 2,
    Both = 3,
}
