namespace Shop.Immortals;

/// <summary>How far an order is.</summary>
public enum OrderState
{
    /// <summary>It is in the books.</summary>
    Placed,

    /// <summary>Its goods are reserved, and somebody has to pay.</summary>
    AwaitsPayment,

    /// <summary>It is paid.</summary>
    Paid,

    /// <summary>It is on its way: the good end.</summary>
    Shipped,

    /// <summary>Something went wrong: what was done is being taken back.</summary>
    TakenBack,

    /// <summary>All was taken back: the other end.</summary>
    Cancelled,
}
