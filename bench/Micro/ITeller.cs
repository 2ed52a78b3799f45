namespace Ambrosia.Bench.Micro;

/// <summary>Makes the generator write the formatter that is measured.</summary>
[ImmortalInterface]
public interface ITeller
{
    /// <summary>Never called.</summary>
    void Book(Transfer transfer);
}
