namespace Ambrosia.InProcess.Tests.Services;

[ImmortalInterface]
public interface IClerk
{
    [Impulse]
    int Count(int by);
}
