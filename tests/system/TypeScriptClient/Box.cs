namespace TypeScriptClient;

public sealed record Box(int Width, long Volume) : Shape;
