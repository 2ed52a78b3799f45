namespace TypeScriptClient;

public sealed record Circle(double Radius) : Shape;
