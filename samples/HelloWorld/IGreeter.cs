using Ambrosia;

namespace HelloWorld;

/// <summary>What other immortals can ask a greeter. The generator makes GreeterBase and GreeterProxy of it.</summary>
[ImmortalInterface]
public interface IGreeter
{
    string Greet(string name);
}
