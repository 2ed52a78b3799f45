using Ambrosia;

namespace HelloWorld;

/// <summary>Counts its greetings. It may be killed at any moment, and the count will still be right.</summary>
public sealed class Greeter : GreeterBase
{
    private int _greetings; // Every field is state: it survives.

    public override DurableTask<string> Greet(string name) => $"Hello, {name}! This is greeting {++_greetings}.";
}
