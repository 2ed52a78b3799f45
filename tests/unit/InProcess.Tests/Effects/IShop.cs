namespace Ambrosia.InProcess.Tests.Effects;

[ImmortalInterface]
public interface IShop
{
    string Order(string customer, decimal amount);

    void Thank(string customer);

    string OrderWithin(string customer, double seconds);

    void Steps(int count);

    int Many(int count);

    string Large(int size);

    void Begin(string customer);

    void Cancel(string customer);

    [Query]
    int Asks();
}
