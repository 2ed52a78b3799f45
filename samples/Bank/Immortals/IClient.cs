using Ambrosia;

namespace Bank;

/// <summary>A customer of the bank: has standing orders, and takes orders from outside.</summary>
[ImmortalInterface]
public interface IClient
{
    /// <summary>One of the loops that send standing orders; a call to itself, through the log.</summary>
    void Run(int lane);

    /// <summary>An order from outside of all immortals.</summary>
    [Impulse]
    Receipt Place(long number, Order order);

    /// <summary>Lets the loops end after the order that they are at.</summary>
    [Impulse]
    void Close();

    [Impulse]
    ClientReport Report();
}
