using System.Runtime.Serialization;

namespace Ambrosia.MessagePackCorpus;

/// <summary>What an order says about its parcel; by position.</summary>
[DataContract]
public sealed record Parcel(
    [property: DataMember(Order = 0)] int Weight,
    [property: DataMember(Order = 2)] string? Label);

/// <summary>How an order is paid.</summary>
[Union(1, typeof(Card)), Union(2, typeof(Cash))]
public abstract record Payment;

/// <summary>By card.</summary>
public sealed record Card(string Number) : Payment;

/// <summary>By cash.</summary>
public sealed record Cash(bool Exact) : Payment;

/// <summary>An order with something of everything.</summary>
public sealed record Order(Guid Id, string Customer, int Count, decimal Total, DateTime At, bool Paid, string? Note, Parcel Parcel,
    Payment? Payment);

/// <summary>Makes the generator write the formatters.</summary>
[ImmortalInterface]
public interface IOrders
{
    /// <summary>Never called.</summary>
    Order Place(Order order);
}
