namespace Ambrosia.InProcess.Tests.Library;

/// <summary>Takes orders, by types of the library's.</summary>
[ImmortalInterface]
public interface IOrderDesk
{
    Receipt Take(Order order);

    Order? Repeat(string other, Order order);

    [Query]
    Order? Last();
}
