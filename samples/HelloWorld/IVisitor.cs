using Ambrosia;

namespace HelloWorld;

/// <summary>A visitor only calls others; nobody calls it.</summary>
[ImmortalInterface]
public interface IVisitor;
