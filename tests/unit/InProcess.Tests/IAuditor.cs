namespace Ambrosia.InProcess.Tests;

[ImmortalInterface]
public interface IAuditor
{
    void Note(string line);

    IReadOnlyList<string> Lines();
}
