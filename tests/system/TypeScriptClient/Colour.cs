namespace TypeScriptClient;

public enum Colour
{
    Red = 1,
    Green = 2,
}
