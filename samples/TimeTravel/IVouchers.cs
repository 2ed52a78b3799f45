using Ambrosia;

namespace Vouchers;

/// <summary>Gift vouchers of a shop.</summary>
[ImmortalInterface]
public interface IVouchers
{
    /// <summary>A customer pays with a voucher; true if it was worth as much.</summary>
    [Impulse]
    bool Spend(string card, int amount);

    /// <summary>Writes a line into the journal; the tax office wants it before the money moves.</summary>
    void Enter(string card, int amount);

    /// <summary>The goods may leave the shop.</summary>
    void Deliver(string card, int amount);

    /// <summary>The customer has to pay otherwise.</summary>
    void Refuse(string card, int amount);

    /// <summary>What all cards are worth in the evening: the lowest of them.</summary>
    [Impulse]
    string Close();
}
