namespace Shop.Web;

/// <summary>How far a bill is at the provider.</summary>
internal enum BillState
{
    /// <summary>Nobody has decided yet.</summary>
    Open,

    /// <summary>The customer pays; the shop has not taken it yet.</summary>
    Paying,

    /// <summary>The card is declined; the shop does not know yet.</summary>
    Declining,

    /// <summary>The shop has taken it, so the money has moved.</summary>
    Paid,

    /// <summary>The shop knows that there will be no money.</summary>
    Declined,

    /// <summary>The shop did not take it any more, so no money has moved.</summary>
    TooLate,
}
